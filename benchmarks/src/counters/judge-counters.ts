/** Figures for one order, by their names: the phase, the part and what was counted. */
export type Counters = Readonly<Record<string, number>>;

/** Counters of one run, and the programs that they depend on. */
export interface CounterRun {
  readonly date: string;
  readonly node: string;
  readonly postgres: string;
  readonly counters: Counters;
}

/** A higher figure that was accepted for what it bought. */
export interface AcceptedRise {
  readonly counter: string;
  readonly from: number;
  readonly to: number;
}

export interface Judgement {
  /** Counters that rose too far; each says which line would accept it. */
  readonly failures: readonly string[];
  /**
   * Counters that the next run may find too high, since runs differ by a hundredth; each says its
   * line as well.
   */
  readonly near: readonly string[];
  /** Counters that were not compared, and why. */
  readonly skipped: readonly string[];
}

/** The part of itself by which a counter may rise without a reason. */
const tolerance = 0.05;

/** The part of itself by which a steady counter differs between runs of the same code. */
const noise = 0.01;

/**
 * Counters that differ from run to run, and the part of themselves by which each may rise. With
 * many orders at once the sizes of batches follow the machine's speed. The pages that submission
 * looks up are 35 or 39 an order, by the plans that Postgres has kept.
 */
const unsteady: readonly { readonly names: RegExp; readonly tolerance: number }[] = [
  { names: /^(backlog|inFlight)\..*\.(statements|messages)$/, tolerance: 1 },
  { names: /^overHttp\.submission\.buffers$/, tolerance: 0.25 },
];

/** Compares a run with an earlier one. */
export function judgeCounters(
  found: CounterRun,
  baseline: CounterRun,
  rises: readonly AcceptedRise[],
): Judgement {
  const failures: string[] = [];
  const near: string[] = [];
  const skipped: string[] = [];
  for (const [counter, was] of Object.entries(baseline.counters)) {
    const now = found.counters[counter];
    const why = whyNotCompared(counter, found, baseline);
    const accepted = acceptedLevel(counter, was, rises);
    const most = accepted * (1 + toleranceOf(counter));
    if (why !== null) skipped.push(`${counter}: ${why}`);
    else if (now !== undefined && now > most) failures.push(failureOf(counter, accepted, now));
    else if (now !== undefined && now > most * (1 - noise)) {
      near.push(failureOf(counter, accepted, now));
    }
  }
  const unknown = Object.keys(found.counters).filter((name) => !(name in baseline.counters));
  return { failures, near, skipped: [...skipped, ...unknown.map((name) => `${name}: it is new`)] };
}

/** The lower figure of each counter of two runs. */
export const lowestOf = (one: CounterRun, other: CounterRun): CounterRun => ({
  ...one,
  counters: Object.fromEntries(
    Object.entries(one.counters).map(([name, value]) => [
      name,
      Math.min(value, other.counters[name] ?? value),
    ]),
  ),
});

/** The part of itself by which this counter may rise without a reason. */
export const toleranceOf = (counter: string): number =>
  unsteady.find(({ names }) => names.test(counter))?.tolerance ?? tolerance;

function whyNotCompared(counter: string, found: CounterRun, baseline: CounterRun): string | null {
  if (found.counters[counter] === undefined) return "it was not counted";
  if (/\.(allocatedBytes|instructions)$/.test(counter)) {
    return differs("Node", found.node, baseline.node);
  }
  return /\.(walBytes|buffers|indexEntries)$/.test(counter)
    ? differs("Postgres", found.postgres, baseline.postgres)
    : null;
}

const differs = (program: string, now: string, was: string): string | null =>
  now === was ? null : `it was counted with ${program} ${was}, and this is ${now}`;

/** Follows the accepted rises from the figure of the baseline. */
function acceptedLevel(counter: string, was: number, rises: readonly AcceptedRise[]): number {
  const next = rises.find((rise) => rise.counter === counter && rise.from === was);
  return next === undefined ? was : acceptedLevel(counter, next.to, rises);
}

function failureOf(counter: string, was: number, now: number): string {
  const percent = ((now / was - 1) * 100).toFixed(1);
  return `${counter} rose by ${percent} %, from ${was} to ${now}. Find out why, or add the line that says what it bought: | ${counter} | ${was} | ${now} | … |`;
}
