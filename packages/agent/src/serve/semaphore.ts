import type { Clock } from "@holdfast/runtime";

/**
 * A fixed number of slots. Callers that find none free wait in the order in which they came,
 * `isFirst` before all others.
 */
export interface Semaphore {
  /**
   * Resolves to a function that releases the slot, or to null when the signal aborts first or no
   * slot becomes free within so many milliseconds.
   */
  acquire(signal: AbortSignal, within: number, isFirst?: boolean): Promise<(() => void) | null>;
  /** How many slots are taken. */
  readonly taken: number;
  /** Resolves to null for all callers that wait now. */
  readonly dismiss: () => void;
}

/** Creates a semaphore with `count` slots. */
export function semaphore(count: number, clock: Pick<Clock, "after">): Semaphore {
  let free = count;
  /** Maps from what gives a waiting caller the slot to what sends it away. */
  const [first, others] = [new Map<() => void, () => void>(), new Map<() => void, () => void>()];

  const release = (): void => {
    const next = first.keys().next().value ?? others.keys().next().value;
    if (next === undefined) free += 1;
    else next();
  };

  return {
    get taken() {
      return count - free;
    },
    async acquire(signal, within, isFirst = false) {
      if (signal.aborted) return null;
      if (free > 0) {
        free -= 1;
        return release;
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
      const waiting = isFirst ? first : others;
      const end = (slot: (() => void) | null): void => {
        waiting.delete(enter);
        signal.removeEventListener("abort", leave);
        cancel();
        resolve(slot);
      };
      const leave = (): void => end(null);
      const enter = (): void => end(release);
      waiting.set(enter, leave);
      signal.addEventListener("abort", leave, { once: true });
      const cancel = clock.after(within, leave);
      return promise;
    },
    dismiss() {
      for (const leave of [...first.values(), ...others.values()]) leave();
    },
  };
}
