import { type Clock, systemClock } from "../time/clock.ts";
import { within } from "../time/within.ts";

interface ReadingOptions<Value> {
  readonly read: () => Promise<Value>;
  /** Milliseconds in which a value is not read again. */
  readonly freshFor: () => number;
  /** Milliseconds after which a value that could not be replaced is no longer given. */
  readonly lasts: number;
  /** Milliseconds that `refresh` waits for the store. */
  readonly timeout: number;
  readonly clock?: Clock;
}

export interface CachedReading<Value> {
  /**
   * Reads the value if it is not fresh, and waits for that no longer than its timeout. Never
   * throws.
   */
  refresh(): Promise<void>;
  /** The value; null: it has not been read, could not be read the last time, or is too old. */
  current(): Value | null;
}

/** Reading takes a twentieth of the time at most. */
const restFactor = 19;

/**
 * A value of the store that is read at scrapes, by one reader at a time, and seldom: however many
 * scrapers there are, and however long the store takes.
 */
export function cachedReading<Value>(options: ReadingOptions<Value>): CachedReading<Value> {
  const { read, freshFor, lasts, timeout, clock = systemClock } = options;
  let value: Value | null = null;
  let readAt = 0;
  let dueAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const readOnce = async (): Promise<void> => {
    const from = clock.now();
    try {
      value = await read();
      readAt = from;
    } catch {
      value = null;
    } finally {
      const now = clock.now();
      dueAt = now + Math.max(freshFor(), restFactor * (now - from));
      reading = null;
    }
  };

  return {
    async refresh() {
      if (reading === null && clock.now() >= dueAt) reading = readOnce();
      if (reading !== null) await within(reading, timeout, clock);
    },
    current: () => (value !== null && clock.now() - readAt <= lasts ? value : null),
  };
}
