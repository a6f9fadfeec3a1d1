import { TransientFault } from "@holdfast/domain";
import { type Clock, systemClock } from "./clock.ts";

interface BatchOptions {
  /** How many items one call may take. */
  readonly max: number;
  /** How much may wait for a call. Beyond that, `add` refuses at once. */
  readonly maxWaiting: { readonly items: number; readonly bytes: number };
  /** How long an item may wait for its call, in milliseconds. */
  readonly timeout: number;
  readonly clock?: Clock;
}

interface BatchedCall<Result> {
  readonly result: Promise<Result>;
  /** Removes the item if it still waits: no call will have it. */
  readonly withdraw: () => void;
}

interface CallBatcher<Item, Result> {
  /** Whether `add` would refuse an item now. */
  readonly isFull: boolean;
  /** How many items wait for the next call. */
  readonly waiting: number;
  /**
   * Puts an item of so many bytes into the next call. `result` rejects with `request.overload` when
   * too much waits or the item waited too long, and with `request.withdrawn`; in each case no call
   * had it.
   */
  add(item: Item, bytes: number): BatchedCall<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly waitsUntil: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What is refused under overload was not begun, and may be sent again. One for all: under overload
 * a refusal must be cheap, and its stack would say nothing.
 */
export const overload = new TransientFault(
  "request.overload",
  "Too many requests wait for the state store",
);

/**
 * Makes one call of many: items that come in while a call is under way go together into the next. A
 * lone item does not wait. `handle` returns one result for each item, in their order; when it
 * throws, each of its items fails with that. What waits is bounded in number, bytes and time.
 */
export function batchCalls<Item, Result>(
  handle: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, maxWaiting, timeout, clock = systemClock }: BatchOptions,
): CallBatcher<Item, Result> {
  /** Items in the order of arrival, which is the order in which they expire. */
  const waiting = new Set<Waiting<Item, Result>>();
  let bytesWaiting = 0;
  let isBusy = false;
  let cancelExpiry: (() => void) | null = null;

  const isFull = (): boolean =>
    waiting.size >= maxWaiting.items || bytesWaiting >= maxWaiting.bytes;

  const remove = (one: Waiting<Item, Result>): boolean => {
    if (!waiting.delete(one)) return false;
    bytesWaiting -= one.bytes;
    return true;
  };

  const takeBatch = (): readonly Waiting<Item, Result>[] => {
    const batch: Waiting<Item, Result>[] = [];
    for (const one of waiting) {
      if (batch.length === max) break;
      remove(one);
      batch.push(one);
    }
    return batch;
  };

  const expire = (): void => {
    cancelExpiry = null;
    const now = clock.now();
    for (const one of waiting) {
      if (one.waitsUntil > now) {
        cancelExpiry = clock.after(one.waitsUntil - now, expire);
        return;
      }
      remove(one);
      one.reject(overload);
    }
  };

  const pump = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = takeBatch();
      try {
        const results = await handle(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
    cancelExpiry?.();
    cancelExpiry = null;
  };

  return {
    get isFull() {
      return isFull();
    },
    get waiting() {
      return waiting.size;
    },
    add(item, bytes) {
      const { promise: result, resolve, reject } = Promise.withResolvers<Result>();
      if (isFull()) {
        reject(overload);
        return { result, withdraw: () => {} };
      }
      const one = { item, bytes, waitsUntil: clock.now() + timeout, resolve, reject };
      waiting.add(one);
      bytesWaiting += bytes;
      if (isBusy) cancelExpiry ??= clock.after(timeout, expire);
      else {
        isBusy = true;
        clock.after(0, () => void pump());
      }
      return {
        result,
        withdraw: () => {
          if (remove(one)) {
            reject(new TransientFault("request.withdrawn", "The client did not wait"));
          }
        },
      };
    },
  };
}
