import { createHash } from "node:crypto";
import { isStatusQueue, isVisible, type TaskRefused } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { Notification, SubmissionStore } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import type { RefusedSubmission } from "./make-tasks.ts";
import type { Problem } from "./problem.ts";

interface RefusalDependencies {
  readonly store: Pick<SubmissionStore, "enqueueRefusals">;
  readonly log: Pick<Logger, "warn">;
  readonly ownsStatusQueue: OwnsStatusQueue;
}

/**
 * Rejects messages to the dead letters, and notifies their submitters first: while the state store
 * is unreachable, the messages wait.
 */
export const deliveryRefuser =
  ({ store, log, ownsStatusQueue }: RefusalDependencies) =>
  async (refused: readonly RefusedSubmission<Delivery>[]): Promise<void> => {
    const notifications = refused.flatMap((one) => notificationsOf(one, ownsStatusQueue));
    if (notifications.length > 0) await store.enqueueRefusals(notifications);
    for (const { from: delivery, problem } of refused) {
      const { code, message: detail, errors } = problem;
      const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
      log.warn({ messageId: delivery.messageId, code, detail, pointers }, "task refused");
      delivery.reject();
    }
  };

/** The refusal for the queue that the message names, if it is one of the submitter's. */
function notificationsOf(
  { from, problem }: RefusedSubmission<Delivery>,
  owns: OwnsStatusQueue,
): readonly Notification[] {
  const { messageId = null, replyTo, correlationId, userId } = from;
  if (replyTo === undefined || !isStatusQueue(replyTo) || !owns(userId, replyTo)) return [];
  return [refusalOf(problem, { messageId, replyTo, correlationId })];
}

interface Refused {
  /** The `message_id` of a message, or the idempotency key of a row; null: it has none. */
  readonly messageId: string | null;
  /** What `state.enqueue_submission` returned; absent: it came by message. */
  readonly taskId?: string;
  /** A status queue of the submitter. */
  readonly replyTo: string;
  /** The correlation id as it came: it may be what was refused. */
  readonly correlationId: unknown;
}

/** Tells a submitter why there is no task of its submission. */
export function refusalOf(
  { code, message: detail, errors }: Problem,
  { messageId, taskId, replyTo, correlationId: asked }: Refused,
): Notification {
  const correlationId: string | null = isVisible(asked) ? asked : null;
  const about = {
    event: "refused",
    messageId,
    ...(taskId === undefined ? {} : { taskId }),
  } as const;
  const body: TaskRefused = { ...about, correlationId, code, detail, errors: [...errors] };
  const digest = createHash("sha256")
    .update(taskId ?? messageId ?? "")
    .digest("hex")
    .slice(0, 32);
  return {
    subject: `refused-${digest}`,
    seq: 1,
    correlationId,
    channel: "status",
    address: replyTo,
    body,
  };
}
