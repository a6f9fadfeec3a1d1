/** Lets so many be under way at a time. */
export interface Slots {
  /** Resolves when there is room; what is done with it ends with `work`. Its failures are the caller's. */
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  drained(): Promise<void>;
}

export function openSlots(limit: number): Slots {
  const open = new Set<Promise<void>>();
  return {
    async run(work) {
      while (open.size >= limit) await Promise.race(open);
      const task = work().finally(() => open.delete(task));
      open.add(task);
    },
    async drained() {
      await Promise.all(open);
    },
  };
}
