import type { Milliseconds } from "@holdfast/domain";

/**
 * One look for all that ask: while it is under way they wait for it, and afterwards it is answered again for
 * `freshFor`. A look that fails is not kept.
 */
export function sharedLook<T>(
  look: () => Promise<T>,
  {
    freshFor,
    clock = () => performance.now(),
  }: { readonly freshFor: Milliseconds; readonly clock?: () => Milliseconds },
): () => Promise<T> {
  let current: Promise<T> | null = null;
  let usableUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (current !== null && clock() < usableUntil) return current;
    usableUntil = Number.POSITIVE_INFINITY;
    const looking = look();
    current = looking;
    looking.then(
      () => {
        if (current === looking) usableUntil = clock() + freshFor;
      },
      () => {
        if (current === looking) current = null;
      },
    );
    return looking;
  };
}
