import type { Json, Task } from "@holdfast/domain";
import type { ClaimedStep } from "../src/claim/claimed-step.ts";
import type { StateStore } from "../src/roles.ts";
import { claimAll, completed, failed } from "./fixtures.ts";

/** The reply that an attempt has completed, for tests. */
export const complete = (claim: ClaimedStep, output: Json = {}) => ({
  taskId: claim.taskId,
  event: completed(claim),
  output,
});

/** A failure that is not retried. */
export const refused: typeof failed = (claim) =>
  failed(claim, { transient: false, code: "test.refused" });

/** Claims all that is due, and records the same answer to each. */
export async function work(
  scheduler: StateStore,
  answer: typeof completed | typeof failed = completed,
): Promise<void> {
  const claims = await claimAll(scheduler);
  await scheduler.applyEvents(
    claims.map((claim) => ({ taskId: claim.taskId, event: answer(claim) })),
    { actor: "scheduler-1" },
  );
}

/** Claims and completes all steps until none is due. */
export async function drain(scheduler: StateStore): Promise<void> {
  for (;;) {
    const claims = await claimAll(scheduler);
    if (claims.length === 0) return;
    await scheduler.applyEvents(
      claims.map((claim) => complete(claim)),
      { actor: "scheduler-1" },
    );
  }
}

/** Records completed attempts, and claims in the same transaction, as a Scheduler does. */
export const record = (store: StateStore, ...claims: readonly ClaimedStep[]) =>
  store.applyEvents(
    claims.map((claim) => complete(claim, { of: claim.name })),
    {
      actor: "scheduler-1",
      claim: {
        lockedBy: "scheduler-1",
        capacity: [{ lane: "agent", slots: 10 }],
        resendAfter: 300,
      },
    },
  );

export const stepStates = (task: Task | undefined) =>
  Object.fromEntries(
    [...(task?.steps ?? [])].map(([name, { processState }]) => [name, processState]),
  );
