/** How many steps of an Agent, called `lane` here, are in flight, and how many of them this Scheduler has claimed. */
interface LaneCount {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
}

type Counts = Map<string, number>;

/** Steps in flight by lane: as last counted, with the claims and replies of this Scheduler since the count began. */
export function laneCounts() {
  let all: Counts = new Map();
  let own: Counts = new Map();
  /** What has changed since the last count began. */
  let changes: Counts = new Map();
  /** Steps that were taken off and that the last count may not have had any more; and the next one, while it runs. */
  let uncertain: Counts = new Map();
  let nextUncertain: Counts | null = null;

  return {
    of: (lane: string) => ({
      inFlight: all.get(lane) ?? 0,
      own: own.get(lane) ?? 0,
      uncertain: uncertain.get(lane) ?? 0,
    }),
    /** This Scheduler has so many steps more, or less, in flight. */
    add(lane: string, steps: number): void {
      change(all, lane, steps);
      change(own, lane, steps);
      changes.set(lane, (changes.get(lane) ?? 0) + steps);
    },
    /** A step was taken off that the count may not have had any more: it may be taken off twice. */
    doubt: (lane: string): void => change(nextUncertain ?? uncertain, lane, 1),
    /** A count begins: what changes from now on may be in it or not. */
    beginCount(): void {
      changes = new Map();
      nextUncertain = new Map();
    },
    /** Takes over a count, and applies to it what has changed since it began. */
    replaceBy(counts: readonly LaneCount[]): void {
      uncertain = nextUncertain ?? new Map();
      nextUncertain = null;
      all = new Map(counts.map((counted) => [counted.lane, counted.inFlight]));
      own = new Map(counts.map((counted) => [counted.lane, counted.own]));
      for (const [lane, steps] of changes) {
        change(all, lane, steps);
        change(own, lane, steps);
      }
    },
  };
}

const change = (counts: Counts, lane: string, steps: number): void =>
  void counts.set(lane, Math.max(0, (counts.get(lane) ?? 0) + steps));
