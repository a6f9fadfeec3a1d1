import type { Standstill } from "../broker.ts";
import type { Item } from "./open-messages.ts";

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

/** The parts of one channel that failed, those that are being retried included. */
export function failedParts() {
  const waiting: Part[] = [];
  const retried = new Set<Part>();
  const failing = (): readonly Part[] =>
    [...waiting, ...retried].filter(({ failedAt }) => failedAt > 0);
  return {
    waiting,
    retried,
    isFailing: (): boolean => failing().length > 0,
    /** Where the next part that may be retried stands; -1: there is none. */
    indexOfDue: (now: number): number => waiting.findIndex(({ notBefore }) => notBefore <= now),
    standstill(queue: string): Standstill | null {
      const [oldest] = failing().toSorted((a, b) => a.failedAt - b.failedAt);
      if (oldest === undefined) return null;
      const { items, failures, failedAt, error } = oldest;
      return {
        queue,
        messages: items.length,
        failures,
        forMs: performance.now() - failedAt,
        error: error instanceof Error ? error.message : String(error),
      };
    },
  };
}

export function halvesOf({ items, error, failedAt, handledBefore }: Part): readonly Part[] {
  const middle = Math.ceil(items.length / 2);
  const history = { ...neverTried, error, failedAt, handledBefore };
  return [
    { items: items.slice(0, middle), ...history },
    { items: items.slice(middle), ...history },
  ];
}
