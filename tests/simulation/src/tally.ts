import { type FaultKind, faultKinds } from "./faults.ts";
import { simulate, type Verdict } from "./simulate.ts";

/** What became of many schedules. */
export interface Tally {
  readonly schedules: number;
  /** Seconds of CPU time of the one thread that ran them. */
  readonly cpuSeconds: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** The seeds of those that broke a rule, with the rule. */
  readonly failures: readonly { readonly seed: number; readonly rule: string }[];
}

/** Schedules that go by before anything else of the process has its turn. */
const stretch = 64;
/** Schedules that run at a time: Node then goes through its queues once for a step of each. */
const lanes = 6;

/** Runs the schedules from `first` to before `end`. They share nothing. */
export async function tallySchedules({
  first,
  end,
}: {
  readonly first: number;
  readonly end: number;
}): Promise<Tally> {
  const startedAt = process.threadCpuUsage();
  const faults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<
    FaultKind,
    number
  >;
  const failures: Tally["failures"][number][] = [];
  let next = first;
  const runLane = async (): Promise<void> => {
    while (next < end) {
      const seed = next;
      next += 1;
      const verdict = await simulate(seed);
      for (const [kind, count] of verdict.faults) faults[kind] += count;
      failures.push(...failureOf(verdict));
      if (seed % stretch === 0) await turn();
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  failures.sort((one, other) => one.seed - other.seed);
  const { user, system } = process.threadCpuUsage(startedAt);
  return { schedules: end - first, cpuSeconds: (user + system) / 1e6, faults, failures };
}

/** Lets timers and signals of the real world in. */
export function turn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}

const failureOf = ({ seed, violations: [first] }: Verdict): Tally["failures"] =>
  first === undefined ? [] : [{ seed, rule: first.rule }];

export const noTally: Tally = {
  schedules: 0,
  cpuSeconds: 0,
  faults: Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>,
  failures: [],
};

export const addTallies = (one: Tally, other: Tally): Tally => ({
  schedules: one.schedules + other.schedules,
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
  faults: Object.fromEntries(
    faultKinds.map((kind) => [kind, one.faults[kind] + other.faults[kind]]),
  ) as Record<FaultKind, number>,
  failures: [...one.failures, ...other.failures],
});
