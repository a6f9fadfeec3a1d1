import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { commandLine } from "@holdfast/runtime";
import { type Hunt, killMutants } from "./kill-mutants.ts";
import { readOptions, usage } from "./options.ts";
import { simulate } from "./simulate.ts";
import { storyText } from "./story-text.ts";
import { addTallies, noTally, type Tally } from "./tally.ts";

const options = commandLine(readOptions, usage);

const write = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (text: string): void => {
  if (!options.json) write(text);
};

/** How many stories of failures are printed; the others are mostly alike. */
const printed = 3;

async function tellStory(seed: number): Promise<boolean> {
  const verdict = await simulate(seed, { telling: true, showing: true });
  const { story, states, violations, faults: counts, took } = verdict;
  say(storyText(verdict));
  const faults = Object.fromEntries(counts);
  if (options.json) write(JSON.stringify({ seed, took, faults, violations, story, states }));
  return violations.length === 0;
}

async function runMany(): Promise<boolean> {
  const first = options.from;
  const end = first + options.schedules;
  const startedAt = performance.now();
  const tally = await runThreads({ first, end, threads: options.threads });
  const seconds = (performance.now() - startedAt) / 1_000;
  const hunts = options.mutants ? await killMutants(first, options.tenth) : null;
  if (options.json) write(JSON.stringify(reportOf(tally, seconds, hunts)));
  else await print(tally, seconds, hunts);
  return tally.failures.length === 0 && (hunts ?? []).every(({ schedules }) => schedules !== null);
}

const reportOf = (tally: Tally, seconds: number, hunts: readonly Hunt[] | null) => ({
  schedules: tally.schedules,
  perSecond: Math.round(tally.schedules / seconds),
  perCoreSecond: Math.round(tally.schedules / tally.cpuSeconds),
  faults: tally.faults,
  violations: tally.failures.length,
  failures: tally.failures.slice(0, 20),
  ...(hunts === null ? {} : { mutants: hunts }),
});

async function print(tally: Tally, seconds: number, hunts: readonly Hunt[] | null): Promise<void> {
  const { perSecond, perCoreSecond, faults } = reportOf(tally, seconds, hunts);
  say(`\n${tally.schedules} schedules, ${perSecond} a second, ${perCoreSecond} for each core.\n`);
  for (const [kind, count] of Object.entries(faults)) {
    say(`${String(count).padStart(9)}  ${kind}`);
  }
  say(`\n${tally.failures.length} broke a rule.`);
  for (const { seed } of tally.failures.slice(0, printed)) {
    await tellStory(seed);
    say(`To see it again: npm run simulate -- --seed ${seed}\n`);
  }
  for (const { mutant, schedules, rule } of hunts ?? []) {
    const fate = schedules === null ? "SURVIVES" : `${schedules}`.padStart(8);
    say(`${fate}  ${mutant}${rule === null ? "" : `: ${rule}`}`);
  }
}

Error.stackTraceLimit = 0;
const isWell = options.seed === null ? await runMany() : await tellStory(options.seed);
process.exitCode = isWell ? 0 : 1;

interface Range {
  readonly first: number;
  readonly end: number;
}

interface Runs extends Range {
  readonly threads: number;
}

/** Runs many schedules at the same time; which thread runs which makes no difference. */
async function runThreads({ first, end, threads }: Runs): Promise<Tally> {
  const share = Math.ceil((end - first) / threads);
  const ranges = Array.from({ length: threads }, (_, index) => ({
    first: first + index * share,
    end: Math.min(end, first + (index + 1) * share),
  }));
  const tallies = await Promise.all(ranges.filter((one) => one.first < one.end).map(runThread));
  return tallies.reduce(addTallies, noTally);
}

async function runThread(range: Range): Promise<Tally> {
  const thread = new Worker(new URL(import.meta.resolve("./worker.ts")), { workerData: range });
  const [tally] = (await once(thread, "message")) as [Tally];
  await thread.terminate();
  return tally;
}
