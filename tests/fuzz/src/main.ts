import { constants, setPriority } from "node:os";
import { openRunFolder, type RunFolder, runTool, startRunServers } from "@holdfast/processes";
import { type FuzzReport, isClean } from "./fuzz-report.ts";
import { measureSchemas } from "./measure-schemas.ts";
import { type FuzzCommand, readOptions, usage } from "./options.ts";
import { runFuzz } from "./run-fuzz.ts";

/** The most by which orders may be slower beside hostile inputs. */
const slowestRatio = 1.5;

type Say = (line: string) => void;

await runTool({
  readOptions,
  usage,
  run: async (command, say) => (command.schemas > 0 ? timeSchemas(command) : fuzz(command, say)),
});

/** Times generated schemas. A test holds the figures against a bound. */
function timeSchemas({ schemas: count, from, json }: FuzzCommand): boolean {
  const figures = measureSchemas({ from, count });
  const lines = Object.entries(figures.worst).map(
    ([piece, { ms, ratio, version, kind }]) =>
      `${piece}: ${Math.round(ms)} ms at most, ${ratio.toFixed(1)} times all steps of a pattern (version ${version}: ${kind})`,
  );
  const said = `${count} generated schemas; ${lines.join("; ")}\n`;
  process.stderr.write(said);
  if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return true;
}

async function fuzz(options: FuzzCommand, say: Say): Promise<boolean> {
  const { json, seed } = options;
  await using folder = await openRunFolder("fuzz", seed);
  say(`seed ${seed}: ${options.rate} inputs a second for ${options.seconds} s`);
  const report = await fuzzLocally(options, folder, say);
  const ratio = report.p99FuzzMs / report.p99QuietMs;
  printReport(report, ratio, say);
  say(`logs and inputs: ${folder.path}`);
  say(`the same inputs again: pnpm fuzz --seed ${seed} --from ${options.from}`);
  const summary = { ...report, p99Ratio: Math.round(ratio * 100) / 100 };
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  return isClean(report) && ratio <= slowestRatio;
}

async function fuzzLocally(options: FuzzCommand, folder: RunFolder, say: Say): Promise<FuzzReport> {
  await using servers = await startRunServers(folder, say);
  const { stateStoreUrl, broker } = servers;
  return await runFuzz({
    ...options,
    // The generator must not take CPU from the services that it times. Lowered only now: child
    // processes inherit the priority of their parent.
    started: () => setPriority(constants.priority.PRIORITY_LOW),
    stateStoreUrl,
    brokerUrl: broker.url,
    importDefinitions: broker.importDefinitions,
    folder: folder.path,
    say,
    onLog: folder.onLog,
  });
}

function printReport(report: FuzzReport, ratio: number, say: Say): void {
  const { witnesses, byTarget, byClass, longestLoopMs, logged, ...figures } = report;
  say("");
  for (const [name, sent] of Object.entries(byClass)) say(`${sent} of class ${name}`);
  for (const [target, sent] of Object.entries(byTarget)) say(`${sent} to ${target}`);
  for (const [line, times] of Object.entries(logged)) say(`${times} times logged: ${line}`);
  say("");
  for (const [name, value] of Object.entries(figures)) say(`${name}: ${value}`);
  for (const [service, ms] of Object.entries(longestLoopMs)) {
    say(`an event loop of ${service} stood still for ${ms} ms at most`);
  }
  say(`99 % of the orders took ${ratio.toFixed(2)} times as long as without hostile inputs`);
  for (const witness of witnesses) say(`wrong: ${witness}`);
  say(
    isClean(report)
      ? "Nothing crashed, stalled, failed or was lost."
      : "Something is wrong: see above.",
  );
}
