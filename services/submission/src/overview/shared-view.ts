import type { Milliseconds } from "@holdfast/domain";

interface Freshness {
  /** The time for which an answer is given again. */
  readonly freshFor: Milliseconds;
  readonly clock?: () => Milliseconds;
}

/**
 * One look for all that ask: while it is under way they wait for it, and afterwards it is answered
 * again for `freshFor`. A look that fails is not kept.
 */
export function sharedView<T>(
  look: () => Promise<T>,
  { freshFor, clock = () => performance.now() }: Freshness,
): () => Promise<T> {
  let current: Promise<T> | null = null;
  let usableUntil = 0;
  const readAnew = async (): Promise<T> => {
    try {
      const found = await look();
      usableUntil = clock() + freshFor;
      return found;
    } catch (error) {
      current = null;
      throw error;
    }
  };
  return () => {
    if (current !== null && clock() < usableUntil) return current;
    usableUntil = Number.POSITIVE_INFINITY;
    current = readAnew();
    return current;
  };
}
