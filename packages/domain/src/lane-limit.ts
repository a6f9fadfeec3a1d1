export interface LaneLoad {
  /**
   * How many steps of one Agent each Scheduler may have in flight, whatever the Agent advertises.
   */
  readonly maxInFlight: number;
  readonly schedulers: number;
  /** Consumers of the Agent's queue. */
  readonly consumers: number;
  /** The slots of each instance, the one that was seen last first; none: it sends no heartbeats. */
  readonly advertised: readonly number[];
  /**
   * How many steps more than the trusted slots allow this Scheduler may have in flight: see
   * `earnedOf`.
   */
  readonly earned?: number;
}

/** How many steps of one Agent may be in flight. */
export interface LaneLimit {
  /** The limit of all Schedulers together. */
  readonly all: number;
  /** The limit of all, with the steps that a transaction makes due itself. */
  readonly allDue: number;
  /** The limit of one Scheduler. */
  readonly own: number;
  readonly ownDue: number;
  /** How many of them are still to be earned. */
  readonly unearned: number;
}

/** Slots of an instance that are believed at once: the default of the Agent SDK. */
const trustedSlots = 100;

/**
 * Steps in flight for each slot: the second half is on its way, or waits at the broker for a slot.
 */
const perSlot = 2;
/**
 * Steps for each slot where there are several Schedulers: the rest up to `perSlot` is for steps
 * that a transaction makes due itself.
 */
const perSlotOfSeveral = 1.5;
/**
 * The one request that goes out while there are no consumers, to find out when there are some
 * again.
 */
const probe = 1;

/**
 * How many steps of an Agent may be in flight: as many as its instances have use for, and never
 * more than the most of all Schedulers. The queue knows of a crash, and of a new instance, before
 * the heartbeats tell: of more instances than it has consumers, those are gone that were not seen
 * for longest, and each further consumer is taken for an instance of average size.
 */
export function laneLimit(load: LaneLoad): LaneLimit {
  const { maxInFlight, schedulers, consumers, advertised, earned = 0 } = load;
  const isAlone = schedulers === 1;
  const again = isAlone ? 1 : 2;
  const unshared = { ownDue: Number.POSITIVE_INFINITY, unearned: 0 };
  if (consumers === 0) return { all: probe, allDue: probe * again, own: probe, ...unshared };
  const most = maxInFlight * schedulers;
  if (advertised.length === 0) {
    return { all: most, allDue: most * again, own: maxInFlight, ...unshared };
  }
  const there = advertised.slice(0, consumers);
  const each = consumers / there.length;
  const limits = (slots: number) => ({
    all: bounded(slots * each * (isAlone ? perSlot : perSlotOfSeveral), most),
    allDue: bounded(slots * each * perSlot, most * again),
  });
  const share = (limit: number): number => Math.max(1, Math.floor(limit / schedulers));
  const claimed = limits(sum(there));
  const trusted = limits(sum(there.map((slots) => Math.min(slots, trustedSlots))));
  return {
    ...claimed,
    own: Math.min(share(claimed.all), share(trusted.all) + earned),
    ownDue: Math.min(share(claimed.allDue), share(trusted.allDue) + earned),
    unearned: Math.max(0, share(claimed.allDue) - share(trusted.allDue) - earned),
  };
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

const bounded = (steps: number, most: number): number =>
  Math.min(most, Math.max(1, Math.floor(steps)));
