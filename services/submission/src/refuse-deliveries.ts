import { createHash } from "node:crypto";
import { isStatusQueue, isVisible, type TaskRefused } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { Notification, StateStore } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import type { Problem } from "./problem.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "enqueueRefusals">;
  readonly log: Pick<Logger, "warn">;
  readonly ownsStatusQueue: OwnsStatusQueue;
}

/** A message that becomes no task, and why. */
export interface Refused {
  readonly delivery: Delivery;
  readonly problem: Problem;
}

/**
 * Rejects messages to the dead letters, and notifies their submitters first: while the state store is
 * unreachable, the messages wait.
 */
export const deliveryRefuser =
  ({ store, log, ownsStatusQueue }: Dependencies) =>
  async (refused: readonly Refused[]): Promise<void> => {
    const notifications = refused.flatMap((one) => notificationsOf(one, ownsStatusQueue));
    if (notifications.length > 0) await store.enqueueRefusals(notifications);
    for (const { delivery, problem } of refused) {
      const { code, message: detail, errors } = problem;
      const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
      log.warn({ messageId: delivery.messageId, code, detail, pointers }, "task refused");
      delivery.reject();
    }
  };

/** For the queue that the message names, if it is one of the submitter's. */
function notificationsOf(
  { delivery, problem }: Refused,
  owns: OwnsStatusQueue,
): readonly Notification[] {
  const { messageId = null, replyTo, userId } = delivery;
  if (replyTo === undefined || !isStatusQueue(replyTo) || !owns(userId, replyTo)) return [];
  // It may be what was refused.
  const correlationId = isVisible(delivery.correlationId) ? delivery.correlationId : null;
  const { code, message: detail, errors } = problem;
  const body: TaskRefused = {
    event: "refused",
    messageId,
    correlationId,
    code,
    detail,
    errors: [...errors],
  };
  const digest = createHash("sha256")
    .update(messageId ?? "")
    .digest("hex")
    .slice(0, 32);
  return [
    {
      subject: `refused-${digest}`,
      seq: 1,
      correlationId,
      channel: "status",
      address: replyTo,
      body,
    },
  ];
}
