import type { SampleKind } from "@holdfast/orders";

/** Picks the kinds of sample orders in turn. */
export const inTurn =
  (...kinds: readonly [SampleKind, ...SampleKind[]]) =>
  (index: number): SampleKind =>
    kinds[index % kinds.length] ?? kinds[0];
