import { callsOf } from "@holdfast/domain";
import type { ClaimedStep, StateStore } from "@holdfast/state-store";
import { taskOf } from "../holdfast-subject.ts";
import { newOrder } from "../order.ts";
import { threeSteps } from "../workflow.ts";

/** How long each batch took, in milliseconds. */
export interface Times {
  readonly claims: readonly number[];
  readonly replies: readonly number[];
  /** How many steps were claimed and completed. */
  readonly steps: number;
}

interface MoveOptions {
  /** Whether as many orders are submitted as are begun; otherwise a backlog is worked off. */
  readonly submits: boolean;
  /** Asked after each batch, with how many orders were begun. */
  readonly isOver: (orders: number) => boolean;
}

/**
 * Orders that are begun with each batch, which also takes their elders further: three times as many
 * steps.
 */
export const begun = 3;
const actor = "bench";
const capacity = callsOf(threeSteps.definition).map(({ agent: lane }) => ({ lane, slots: begun }));

/**
 * Claims steps and saves their replies, batch after batch, as a Scheduler does, but over one
 * connection.
 */
export async function moveOrders(
  store: StateStore,
  { submits, isOver }: MoveOptions,
): Promise<Times> {
  const claims: number[] = [];
  const replies: number[] = [];
  let steps = 0;
  for (let orders = 0; !isOver(orders); orders += begun) {
    if (submits) {
      await store.submitTasks(
        Array.from({ length: begun }, () => taskOf(newOrder())),
        { actor },
      );
    }
    const claimed = await timed(claims, () =>
      store.claimDueSteps({ lockedBy: actor, capacity, resendAfter: 60_000 }),
    );
    await store.confirmRequests(claimed);
    await timed(replies, () => store.applyEvents(claimed.map(completed), { actor }));
    steps += claimed.length;
  }
  return { claims, replies, steps };
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const from = performance.now();
  const result = await work();
  times.push(performance.now() - from);
  return result;
}

const completed = ({ taskId, name: step, attempt, token }: ClaimedStep) => ({
  taskId,
  event: { kind: "completed" as const, step, attempt, token },
  output: { ok: true },
});
