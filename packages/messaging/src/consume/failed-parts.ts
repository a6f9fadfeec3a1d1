import { errorText } from "@holdfast/domain";
import type { StalledConsumer } from "../broker.ts";
import type { Item } from "./open-messages.ts";
import { isOfSurroundings } from "./remedy-for-failure.ts";

/** Deliveries that are handed over together. */
export interface Part {
  readonly items: readonly Item[];
  readonly failures: number;
  readonly error: unknown;
  readonly failedAt: number;
  readonly notBefore: number;
  /** How many parts had been handled when it first failed. */
  readonly handledBefore: number;
}

const neverTried = { failures: 0, error: null, failedAt: 0, notBefore: 0, handledBefore: 0 };

export const newPart = (items: readonly Item[]): Part => ({ items, ...neverTried });

/** Milliseconds between two tries, doubled with each failure in a row. */
const retryDelay = { shortest: 100, longest: 1_000 };

/** How long what failed so often in a row rests, in milliseconds. */
export const restAfter = (failures: number): number =>
  Math.min(retryDelay.longest, retryDelay.shortest * 2 ** (failures - 1));

/** The parts of one channel that failed, those that are being retried included. */
export function failedParts() {
  const waiting: Part[] = [];
  const retried = new Set<Part>();
  /** The instant until which the store is left alone by all that it failed; 0: it works, as far as is known. */
  let outageUntil = 0;
  const dueAt = ({ notBefore, failures, error }: Part): number =>
    failures > 0 && isOfSurroundings(error) ? Math.max(notBefore, outageUntil) : notBefore;
  const failing = (): readonly Part[] =>
    [...waiting, ...retried].filter(({ failedAt }) => failedAt > 0);
  return {
    waiting,
    retried,
    /** Asked for each message. */
    isFailing: (): boolean =>
      waiting.length > 0 || [...retried].some(({ failedAt }) => failedAt > 0),
    /** How many deliveries are in parts that failed. */
    deliveries: (): number => failing().reduce((sum, { items }) => sum + items.length, 0),
    /** The index of the next part that may be retried; -1: there is none. */
    indexOfDue: (now: number): number => waiting.findIndex((part) => dueAt(part) <= now),
    /** When the first of them may be retried. */
    nextDue: (): number => Math.min(...waiting.map(dueAt)),
    storeFailed: (until: number): void => {
      outageUntil = until;
    },
    storeWorks: (): void => {
      outageUntil = 0;
    },
    stalledConsumer(queue: string): StalledConsumer | null {
      const [oldest] = failing().toSorted((a, b) => a.failedAt - b.failedAt);
      if (oldest === undefined) return null;
      const { items, failures, failedAt, error } = oldest;
      return {
        queue,
        messages: items.length,
        failures,
        forMs: performance.now() - failedAt,
        error: errorText(error),
      };
    },
  };
}

/** Divides the same deliveries into parts of at most so many, which may be retried at once. */
export function partsOf(
  { items, error, failedAt, handledBefore }: Part,
  size: number,
): readonly Part[] {
  const history = { ...neverTried, error, failedAt, handledBefore };
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => ({
    items: items.slice(index * size, (index + 1) * size),
    ...history,
  }));
}
