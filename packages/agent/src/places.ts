/** So many at a time; who comes when there is no place waits, in the order of coming. */
export interface Places {
  /** Resolves when there is a place, or when the signal aborts; to what gives the place back. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function places(count: number): Places {
  let free = count;
  const waiting = new Set<() => void>();

  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };

  return {
    async take(signal) {
      if (signal.aborted) return () => {};
      if (free > 0) {
        free -= 1;
        return giveBack;
      }
      const { promise, resolve } = Promise.withResolvers<() => void>();
      const leave = (): void => {
        waiting.delete(enter);
        resolve(() => {});
      };
      const enter = (): void => {
        waiting.delete(enter);
        signal.removeEventListener("abort", leave);
        resolve(giveBack);
      };
      waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
      return promise;
    },
  };
}
