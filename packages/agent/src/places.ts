import type { Clock } from "@holdfast/runtime";

/** So many at a time; who comes when there is no place waits, in the order of coming. */
export interface Places {
  /**
   * Resolves when there is a place, to what gives it back; or to null, when the signal aborts first or
   * there is none within so many milliseconds.
   */
  take(signal: AbortSignal, within: number): Promise<(() => void) | null>;
}

export function places(count: number, clock: Pick<Clock, "after">): Places {
  let free = count;
  const waiting = new Set<() => void>();

  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };

  return {
    async take(signal, within) {
      if (signal.aborted) return null;
      if (free > 0) {
        free -= 1;
        return giveBack;
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
      const end = (place: (() => void) | null): void => {
        waiting.delete(enter);
        signal.removeEventListener("abort", leave);
        cancel();
        resolve(place);
      };
      const leave = (): void => end(null);
      const enter = (): void => end(giveBack);
      waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
      const cancel = clock.after(within, leave);
      return promise;
    },
  };
}
