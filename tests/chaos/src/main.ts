import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openRunFolder, type RunFolder, runTool } from "@holdfast/processes";
import { seededRandom } from "@holdfast/runtime";
import type { Evidence } from "./checker/evidence.ts";
import { judge, type Verdict } from "./checker/judge.ts";
import { summarise } from "./checker/measure-recovery.ts";
import { mergeVerdicts } from "./checker/merge-verdicts.ts";
import { type ChaosOptions, readOptions, usage } from "./options.ts";
import { printVerdict, printWitnesses } from "./print-verdict.ts";
import { roundsOf } from "./profile.ts";
import { runChaos } from "./run-chaos.ts";
import { startEnvironment } from "./system/start-environment.ts";

await runTool({
  readOptions,
  usage,
  async run(options, say) {
    const { json, seed, profile } = options;
    await using folder = await openRunFolder("chaos", seed);
    say(`seed ${seed}: ${profile.orders} orders, ${profile.faults} faults`);
    const verdict = mergeVerdicts(await judgeRounds(options, { folder, say }));
    printVerdict(verdict, say);
    say(`evidence of all witnesses: ${folder.path}`);
    say(`the same faults again: pnpm chaos ${argumentsWith(seed)}`);
    if (json) process.stdout.write(`${JSON.stringify(summaryOf(verdict, seed))}\n`);
    return verdict.valid;
  },
});

/** The command line of this run, with its seed. */
function argumentsWith(seed: number): string {
  const given = process.argv.slice(2);
  return [...given, ...(given.includes("--seed") ? [] : ["--seed", String(seed)])].join(" ");
}

interface Place {
  readonly folder: RunFolder;
  readonly say: (line: string) => void;
}

async function judgeRounds(
  options: ChaosOptions,
  { folder, say }: Place,
): Promise<readonly Verdict[]> {
  const { seed, classes, profile } = options;
  const random = seededRandom(seed);
  await using environment = await startEnvironment({
    folder: folder.servers,
    random,
    servers: profile.servers ?? "single",
    partners: profile.partners,
    log: say,
    onLog: folder.onLog,
  });
  const verdicts: Verdict[] = [];
  for (const [index, round] of roundsOf(profile).entries()) {
    const evidence = await runChaos({ profile: round, seed, classes, environment, random, say });
    const verdict = judge(evidence);
    await keep(join(folder.path, `round-${index + 1}`), evidence, verdict);
    printWitnesses(verdict, evidence, say);
    verdicts.push(verdict);
  }
  return verdicts;
}

/** One file for each witness, a line for each thing it said. */
async function keep(folder: string, evidence: Evidence, verdict: Verdict): Promise<void> {
  await mkdir(folder);
  for (const [name, content] of Object.entries(evidence)) {
    const lines = Array.isArray(content) ? content : [content];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await writeFile(join(folder, `${name}.jsonl`), text);
  }
  await writeFile(join(folder, "verdict.json"), JSON.stringify(verdict, null, 2));
}

/** The verdict for programs, with the violations counted. */
function summaryOf({ violations, recovery, ...rest }: Verdict, seed: number) {
  return {
    seed,
    ...rest,
    violations: violations.length,
    witnesses: violations.slice(0, 10),
    recovery: Object.fromEntries(
      Object.entries(recovery).map(([name, times]) => [name, summarise(times)]),
    ),
  };
}
