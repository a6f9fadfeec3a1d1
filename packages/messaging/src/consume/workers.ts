/**
 * Starts workers, of which at most so many work at the same time. Each works until it finds nothing to do; the last
 * one is replaced if something has come in since.
 */
export function workers(most: number, work: () => Promise<void>, isNeeded: () => boolean) {
  const working = new Set<Promise<void>>();
  const start = (): void => {
    if (working.size >= most) return;
    const worker = work().finally(() => {
      working.delete(worker);
      if (working.size === 0 && isNeeded()) start();
    });
    working.add(worker);
  };
  return {
    start,
    get areIdle(): boolean {
      return working.size === 0;
    },
    ended: async (): Promise<void> => void (await Promise.all(working)),
  };
}
