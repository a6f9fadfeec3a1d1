/**
 * Returns the same store, of which at most `most` operations run at a time, in the order in which
 * they were asked for. The others wait here and not for a connection, so that those beyond `most`
 * stay free for recovery.
 */
export function shareConnections<Store extends object>(store: Store, most: number): Store {
  let free = most;
  const waiting: (() => void)[] = [];
  const enter = (): Promise<void> => {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve));
    free -= 1;
    return Promise.resolve();
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const shared = Object.entries(store as Readonly<Record<string, Operation>>).map(
    ([name, operation]) => {
      const inTurn: Operation = async (...args) => {
        await enter();
        try {
          return await operation(...args);
        } finally {
          leave();
        }
      };
      return [name, inTurn];
    },
  );
  return Object.fromEntries(shared) as Store;
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>;
