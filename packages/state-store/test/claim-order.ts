import type { ClaimedStep } from "../src/claim/claimed-step.ts";
import type { StateStore } from "../src/roles.ts";
import type { TestStore } from "./fixtures.ts";

/** Milliseconds until a claimed request would be resent, longer than any test. */
export const resendAfter = 60_000;

export const ofKey = (key: string, weight = 1) => ({ fairness: { key, weight } });

/** What one Scheduler claims of the one Agent, for tests of the order of claims. */
export function claimsBy(scheduler: () => Pick<StateStore, "claimDueSteps">, db: () => TestStore) {
  const claim = async (slots: number, reserved = 0): Promise<readonly ClaimedStep[]> => {
    const capacity = [{ lane: "agent", slots, reserved }];
    return await scheduler().claimDueSteps({ lockedBy: "s", capacity, resendAfter });
  };
  /** One value for each step, in the order of the claims: each takes so many. */
  const order = async (value: string, slots = 1): Promise<readonly string[]> => {
    const taskIds: string[] = [];
    for (;;) {
      const claims = await claim(slots);
      if (claims.length === 0) break;
      taskIds.push(...claims.map(({ taskId }) => taskId));
    }
    const rows = await db().query<{ id: string; value: string }>(
      `select task_id::text as id, ${value} as value from state.tasks`,
    );
    const values = new Map(rows.map((row) => [row.id, row.value]));
    return taskIds.map((taskId) => values.get(taskId) ?? "");
  };
  return { claim, order };
}

export const count = (values: readonly string[], value: string): number =>
  values.filter((one) => one === value).length;
