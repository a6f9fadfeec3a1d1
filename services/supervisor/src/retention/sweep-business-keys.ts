import type { StateStore } from "@holdfast/state-store";

export type SweepingStore = Pick<StateStore, "deleteFreeBusinessKeys">;

/** Keys that one statement looks at. */
const batch = 1_000;

/**
 * Looks at the next business keys and deletes those of tasks that have ended. The store keeps how far the sweep has
 * come. Resolves to whether these were the last.
 */
export const sweepBusinessKeys = (store: SweepingStore) => async (): Promise<boolean> =>
  (await store.deleteFreeBusinessKeys({ batch })).isLast;
