import type { Clock } from "@holdfast/runtime";

/** What an instance consumes at the moment. */
type State =
  | { readonly kind: "closed" }
  | { readonly kind: "ramp"; readonly prefetch: number; left: number }
  | { readonly kind: "open"; readonly until: number }
  | { readonly kind: "half-open" };

interface Options {
  /** The prefetch of an instance whose breaker is closed. */
  readonly full: number;
  readonly clock: Clock;
}

/** The prefetch of one instance, and its moves: each sets the prefetch and then calls the listeners. */
export function prefetchState({ full, clock }: Options) {
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
    /** Cancels the consumer until an instant of the clock. Calls `next` then, or before, unless another move comes. */
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

export type PrefetchState = ReturnType<typeof prefetchState>;
