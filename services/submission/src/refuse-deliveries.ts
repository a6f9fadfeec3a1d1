import { createHash } from "node:crypto";
import {
  isStatusQueue,
  isVisible,
  limits,
  type SignalRefused,
  type TaskRefused,
} from "@holdfast/contracts";
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

/** What is refused, and how its sender is notified. */
export interface Refusals {
  readonly log: "task refused" | "signal refused";
  readonly notification: (refused: RefusedSubmission<Delivery>, replyTo: string) => Notification;
}

export const refusedTasks: Refusals = {
  log: "task refused",
  notification: ({ from: { messageId = null, correlationId }, problem }, replyTo) =>
    refusalOf(problem, { messageId, replyTo, correlationId }),
};

/**
 * Rejects messages to the dead letters, and notifies their senders first: while the state store is
 * unreachable, the messages wait. A message that names no queue of its sender has no answer.
 */
export const deliveryRefuser =
  (refusals: Refusals, { store, log, ownsStatusQueue: owns }: RefusalDependencies) =>
  async (refused: readonly RefusedSubmission<Delivery>[]): Promise<void> => {
    const notifications = refused.flatMap((one) => {
      const { userId, replyTo } = one.from;
      const isOwn = replyTo !== undefined && isStatusQueue(replyTo) && owns(userId, replyTo);
      return isOwn ? [refusals.notification(one, replyTo)] : [];
    });
    if (notifications.length > 0) await store.enqueueRefusals(notifications);
    for (const { from: delivery, problem } of refused) {
      const { code, message: detail, errors } = problem;
      const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
      log.warn({ messageId: delivery.messageId, code, detail, pointers }, refusals.log);
      delivery.reject();
    }
  };

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
  return {
    subject: `refused-${digestOf(taskId ?? messageId ?? "")}`,
    seq: 1,
    correlationId,
    channel: "status",
    address: replyTo,
    body,
  };
}

const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 32);

interface RefusedSignal {
  /** Its name and its id, as they came; null: they could not be read. */
  readonly name: string | null;
  readonly id: string | null;
  /** The task that it named; null: none, or none that could be read. */
  readonly taskId: string | null;
  /** A status queue of the sender. */
  readonly replyTo: string;
  /** The correlation id as it came. */
  readonly correlationId: unknown;
}

/** Tells the sender of a signal why no task got it. */
export function signalRefusalOf(
  { code, message: detail, errors }: Problem,
  { name, id, taskId, replyTo, correlationId: asked }: RefusedSignal,
): Notification {
  const correlationId: string | null = isVisible(asked) ? asked : null;
  const body: SignalRefused = {
    event: "signal-refused",
    name: bounded(name),
    id: bounded(id),
    ...(taskId === null ? {} : { taskId }),
    correlationId,
    code,
    detail,
    errors: [...errors],
  };
  return {
    subject: `signal-refused-${digestOf(JSON.stringify([taskId, name, id]))}`,
    seq: 1,
    correlationId,
    channel: "status",
    address: replyTo,
    body,
  };
}

const bounded = (text: string | null): string | null =>
  text === null ? null : text.slice(0, limits.property).toWellFormed();
