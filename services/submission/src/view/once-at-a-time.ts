import type { Milliseconds } from "@holdfast/domain";

/**
 * A look that costs much: one at a time, and who asks meanwhile or soon afterwards gets what it
 * found. A failure is not kept.
 */
export function onceAtATime<Found>(
  look: () => Promise<Found>,
  {
    keepFor,
    clock = () => performance.now(),
  }: {
    readonly keepFor: Milliseconds;
    readonly clock?: () => Milliseconds;
  },
): () => Promise<Found> {
  let looking: Promise<Found> | null = null;
  let freshUntil = Number.NEGATIVE_INFINITY;
  const begin = async (): Promise<Found> => {
    freshUntil = Number.POSITIVE_INFINITY;
    try {
      const found = await look();
      freshUntil = clock() + keepFor;
      return found;
    } catch (error) {
      freshUntil = Number.NEGATIVE_INFINITY;
      throw error;
    }
  };
  return () => {
    if (looking === null || clock() >= freshUntil) looking = begin();
    return looking;
  };
}
