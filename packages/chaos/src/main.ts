import { createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { holdfastFolder } from "@holdfast/local-stack";
import { seededRandom } from "@holdfast/runtime";
import type { Evidence } from "./checker/evidence.ts";
import { judge, type Verdict } from "./checker/judge.ts";
import { type ChaosOptions, readOptions, usage } from "./options.ts";
import { printVerdict } from "./print-verdict.ts";
import { runChaos } from "./run-chaos.ts";
import { startRig } from "./system/start-rig.ts";

/** Milliseconds. What has not stopped by then, frozen or not, is killed with us. */
const stopWithin = 20_000;

// Each Ctrl-C ends it at once: what we started is taken along by its guards.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

try {
  process.exitCode = (await main(readOptions(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n\n${usage}\n`);
  process.exitCode = 2;
} finally {
  setTimeout(() => process.exit(), stopWithin).unref();
}

async function main(options: ChaosOptions): Promise<boolean> {
  const { json, seed, profile } = options;
  const say = (line: string): void =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);
  const folder = join(holdfastFolder(), "chaos", `${seed}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const replay = `pnpm chaos ${process.argv.slice(2).join(" ")} --seed ${seed}`;
  say(`seed ${seed}: ${profile.orders} orders, ${profile.faults} faults; again: ${replay}`);
  const evidence = await collect(options, { folder, say });
  const verdict = judge(evidence);
  await keep(folder, evidence, verdict);
  printVerdict(verdict, evidence, say);
  say(`what everybody said: ${folder}`);
  say(`the same again: ${replay}`);
  if (json) process.stdout.write(`${JSON.stringify(summaryOf(verdict, seed))}\n`);
  return verdict.valid;
}

interface Place {
  readonly folder: string;
  readonly say: (line: string) => void;
}

async function collect(options: ChaosOptions, { folder, say }: Place): Promise<Evidence> {
  const random = seededRandom(options.seed);
  const servers = join(folder, "servers");
  const log = createWriteStream(join(folder, "services.log"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(servers, { recursive: true, force: true }));
  stack.defer(() => void log.end());
  const rig = stack.use(
    await startRig({
      folder: servers,
      random,
      partners: options.profile.partners,
      log: say,
      onLog: (line, service) => log.write(`${JSON.stringify({ service, ...line })}\n`),
    }),
  );
  return await runChaos({ ...options, rig, random, say });
}

/** One file for each witness, a line for each thing it said. */
async function keep(folder: string, evidence: Evidence, verdict: Verdict): Promise<void> {
  for (const [name, content] of Object.entries(evidence)) {
    const lines = Array.isArray(content) ? content : [content];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await writeFile(join(folder, `${name}.jsonl`), text);
  }
  await writeFile(join(folder, "verdict.json"), JSON.stringify(verdict, null, 2));
}

/** For programs: the verdict, with the violations counted. */
function summaryOf({ violations, ...rest }: Verdict, seed: number) {
  return { seed, ...rest, violations: violations.length, witnesses: violations.slice(0, 10) };
}
