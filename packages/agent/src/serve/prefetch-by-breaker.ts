import type { Clock } from "@holdfast/runtime";
import type { CircuitHealth, ResiliencePolicy } from "../attempt/resilience-policy.ts";

interface PrefetchOptions {
  readonly policy: Pick<ResiliencePolicy, "health" | "onChange">;
  /** The prefetch of an instance whose breaker is closed. */
  readonly full: number;
  /** How many other instances consume the same queue; asked while this one does not. */
  readonly countOthers: () => Promise<number>;
  /** Gives back what this instance holds and has not begun. */
  readonly onOpen: () => void;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

export interface PrefetchByBreaker extends Disposable {
  /** Whether this instance takes nothing: what reaches it all the same belongs to others. */
  isOpen(): boolean;
  /** What the policy says, and for how long this instance consumes nothing. */
  health(): CircuitHealth;
  /** Is called for each request that the remote service answered. */
  succeeded(): void;
  /** Follows the breaker from now on. `limit` changes the prefetch; 0 cancels the consumer. */
  follow(limit: (prefetch: number) => Promise<void>): void;
  /** Calls `listener` after each change of `health`. */
  readonly onChange: (listener: () => void) => void;
}

/** Milliseconds for which an instance consumes nothing at most, unless its policy says more. */
const longestRest = 60_000;
/** A longer rest is cut by up to this part of it, so that instances do not probe together. */
const jitter = 0.2;
/** The prefetch after the first success. */
const firstRamp = 2;

/** The rest doubles with each relapse. */
function restAfter(relapseCount: number, openFor: number, random: number): number {
  const doubled = Math.min(openFor * 2 ** relapseCount, Math.max(openFor, longestRest));
  return Math.max(openFor, doubled * (1 - jitter * random));
}

/** How an instance rests whose breaker opens again before its prefetch was full. */
function relapses({ countOthers, clock, random }: PrefetchOptions, prefetch: PrefetchState) {
  let count = 0;
  /**
   * Rests on while others consume, and looks again after each `openFor`: they may be gone by then.
   */
  const restOn = async (until: () => number, openFor: number): Promise<void> => {
    const resting = prefetch.current;
    const others = await countOthers().catch(() => 0);
    if (prefetch.current !== resting) return;
    count = others > 0 ? count : 0;
    const [now, end] = [clock.now(), until()];
    if (others === 0 || end <= now) return prefetch.probe();
    prefetch.rest(end, () => void restOn(() => end, openFor), Math.min(end, now + openFor));
  };
  return {
    forget: (): void => void (count = 0),
    /** Ends a rest that began then, or makes it longer if others consume meanwhile. */
    endRest: (since: number, openFor: number): Promise<void> => {
      count += 1;
      return restOn(() => since + restAfter(count, openFor, random()), openFor);
    },
  };
}

/**
 * The prefetch of one instance, by the breaker of its policy. Open: 0, so that the broker gives
 * requests to other instances. Half-open: 1, so that one request probes. After a success it doubles
 * with the requests that succeed. After a relapse the rest doubles, but only while others consume:
 * alone, an instance must be back soon.
 */
export function prefetchByBreaker(options: PrefetchOptions): PrefetchByBreaker {
  const { policy, full, onOpen, clock } = options;
  const prefetch = prefetchState({ full, clock });
  const { endRest, forget } = relapses(options, prefetch);
  let unfollow: (() => void) | null = null;

  const ramp = (most: number): void => {
    if (most >= full) forget();
    prefetch.ramp(most);
  };

  const open = (openFor: number): void => {
    const now = clock.now();
    const { current } = prefetch;
    const isRelapse = current.kind === "half-open" || current.kind === "ramp";
    // An attempt that was begun before may fail while this instance rests.
    const until = Math.max(current.kind === "open" ? current.until : 0, now + openFor);
    prefetch.rest(until, isRelapse ? () => void endRest(now, openFor) : prefetch.probe);
    onOpen();
  };

  const followPolicy = (): void => {
    const { breaker, openForMs } = policy.health();
    const { kind } = prefetch.current;
    const isWell = kind === "closed" || kind === "ramp";
    if (breaker === "closed" && !isWell) ramp(firstRamp);
    else if (breaker === "open" || (breaker === "half-open" && isWell)) open(openForMs);
  };

  return {
    isOpen: () => prefetch.current.kind === "open",
    health() {
      const { current } = prefetch;
      if (current.kind !== "open") return policy.health();
      return { breaker: "open", openForMs: Math.max(0, Math.ceil(current.until - clock.now())) };
    },
    succeeded() {
      const { current } = prefetch;
      if (current.kind !== "ramp") return;
      current.left -= 1;
      if (current.left === 0) ramp(2 * current.prefetch);
    },
    follow(limit) {
      prefetch.limitBy(limit);
      if (policy.onChange === undefined) return;
      unfollow = policy.onChange(followPolicy);
      followPolicy();
    },
    onChange: prefetch.onChange,
    [Symbol.dispose]() {
      unfollow?.();
      prefetch.end();
    },
  };
}

/** What an instance consumes at the moment. */
type State =
  | { readonly kind: "closed" }
  | { readonly kind: "ramp"; readonly prefetch: number; left: number }
  | { readonly kind: "open"; readonly until: number }
  | { readonly kind: "half-open" };

interface PrefetchStateOptions {
  /** The prefetch of an instance whose breaker is closed. */
  readonly full: number;
  readonly clock: Clock;
}

/**
 * The prefetch of one instance, and its moves: each sets the prefetch and then calls the listeners.
 */
function prefetchState({ full, clock }: PrefetchStateOptions) {
  const listeners: (() => void)[] = [];
  let state: State = { kind: "closed" };
  let limit: ((prefetch: number) => Promise<void>) | null = null;
  let cancelTimer: (() => void) | null = null;

  const enter = (next: State, prefetch: number): void => {
    state = next;
    cancelTimer?.();
    // Without a channel nothing is limited: the next one begins with what was asked for last.
    limit?.(prefetch).catch(() => {});
    for (const listener of listeners) listener();
  };

  return {
    get current(): State {
      return state;
    },
    /**
     * Cancels the consumer until an instant of the clock. Calls `next` then, or before, unless
     * another move comes.
     */
    rest(until: number, next: () => void, nextAt = until): void {
      enter({ kind: "open", until }, 0);
      cancelTimer = clock.after(nextAt - clock.now(), next);
    },
    probe: (): void => enter({ kind: "half-open" }, 1),
    /** Consumes so much, and twice as much after as many successes. */
    ramp(prefetch: number): void {
      if (prefetch >= full) enter({ kind: "closed" }, full);
      else enter({ kind: "ramp", prefetch, left: prefetch }, prefetch);
    },
    limitBy(set: (prefetch: number) => Promise<void>): void {
      limit = set;
    },
    onChange: (listener: () => void): void => void listeners.push(listener),
    /** Moves no more. */
    end(): void {
      cancelTimer?.();
      limit = null;
      listeners.length = 0;
      state = { kind: "closed" };
    },
  };
}

type PrefetchState = ReturnType<typeof prefetchState>;
