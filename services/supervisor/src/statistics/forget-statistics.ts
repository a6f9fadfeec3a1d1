import type { Clock } from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";
import { batch, deleteInBatches, pause } from "../retention/delete-in-batches.ts";

export type ForgettingStatistics = Pick<SupervisorStore, "deleteOldStatistics">;

interface Dependencies {
  readonly store: ForgettingStatistics;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds. The shortest time that counts are kept is three days. */
const interval = 3_600_000;

/** Deletes counts and groups of failures that are past their time. Resolves to how long to interval. */
export const forgetStatistics =
  ({ store, ...ending }: Dependencies) =>
  async (): Promise<number> => {
    const { isPartial } = await deleteInBatches(() => store.deleteOldStatistics({ batch }), ending);
    return isPartial ? pause : interval;
  };
