import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { commandLine } from "@holdfast/runtime";
import { type FuzzReport, isClean } from "./fuzz-report.ts";
import { measureSchemas } from "./measure-schemas.ts";
import { type FuzzCommand, readOptions, usage } from "./options.ts";
import { runFuzz } from "./run-fuzz.ts";

/** Milliseconds. What has not stopped by then is killed with us. */
const stopWithin = 20_000;
/** The most by which orders may be slower beside hostile inputs. */
const slowestRatio = 1.5;

// Each Ctrl-C ends it at once: what we started is taken along by its guards.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const command = commandLine(readOptions, usage);
try {
  const isRight = command.schemas > 0 ? timeSchemas(command) : await main(command);
  process.exitCode = isRight ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
} finally {
  setTimeout(() => process.exit(), stopWithin).unref();
}

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

async function main(options: FuzzCommand): Promise<boolean> {
  const { json, seed } = options;
  const say = (line: string): void =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);
  const folder = join(holdfastFolder(), "fuzz", `${seed}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  say(`seed ${seed}: ${options.rate} inputs a second for ${options.seconds} s`);
  const report = await fuzzLocally(options, { folder, say });
  const ratio = report.p99FuzzMs / report.p99QuietMs;
  printReport(report, ratio, say);
  say(`logs and inputs: ${folder}`);
  say(`the same inputs again: pnpm fuzz --seed ${seed} --from ${options.from}`);
  const summary = { ...report, p99Ratio: Math.round(ratio * 100) / 100 };
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  return isClean(report) && ratio <= slowestRatio;
}

interface Place {
  readonly folder: string;
  readonly say: (line: string) => void;
}

async function fuzzLocally(options: FuzzCommand, { folder, say }: Place): Promise<FuzzReport> {
  const servers = join(folder, "servers");
  const log = createWriteStream(join(folder, "services.log"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(servers, { recursive: true, force: true }));
  stack.defer(() => void log.end());
  const { postgres, broker } = stack.use(
    await startLocalStack({ purpose: "demo", dataFolder: servers, fresh: true, log: say }),
  );
  const { url: stateStoreUrl } = await createDatabase(postgres.url, { name: "holdfast" });
  return await runFuzz({
    ...options,
    // The generator must not take CPU from the services that it times. Lowered only now: child processes
    // inherit the priority of their parent.
    started: () => setPriority(constants.priority.PRIORITY_LOW),
    stateStoreUrl,
    brokerUrl: broker.url,
    importDefinitions: broker.importDefinitions,
    folder,
    say,
    onLog: (line, service) => log.write(`${JSON.stringify({ service, ...line })}\n`),
  });
}

function printReport(report: FuzzReport, ratio: number, say: Place["say"]): void {
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
