interface GatherOptions {
  /** How many items one call may take. */
  readonly max: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes one call of many: items that come in while a call is under way go together into the next. A
 * lone item does not wait. `handle` returns one result for each item, in their order; when it throws,
 * each of its items fails with that.
 */
export function gather<Item, Result>(
  handle: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max }: GatherOptions,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        const results = await handle(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  };

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (!isBusy) {
      isBusy = true;
      setImmediate(() => void pump());
    }
    return promise;
  };
}
