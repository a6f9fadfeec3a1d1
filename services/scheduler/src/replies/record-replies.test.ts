import { randomUUID } from "node:crypto";
import { StepReply } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import { type Logger, noTracing, systemClock } from "@holdfast/runtime";
import type { AppliedEvents, EventOutcome, RejectedReply } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { recordReplies } from "./record-replies.ts";

const silent = () => {};

function delivered(step: string): Delivery {
  const body = StepReply.encode({
    taskId: randomUUID(),
    step,
    attempt: 1,
    token: randomUUID(),
    outcome: { kind: "completed", output: null },
  });
  return {
    body,
    size: body.length,
    type: StepReply.type,
    messageId: "m-1",
    correlationId: undefined,
    userId: "payments",
    replyTo: undefined,
    deathReason: undefined,
    routingKey: "reply.payments.x",
    isUrgent: false,
    isBundled: false,
    redelivered: false,
    isCurrent: () => true,
    whenSettled: () => Promise.resolve(),
    answer: () => Promise.reject(new Error("Nothing is answered")),
    ack: silent,
    reject: silent,
    requeue: silent,
  };
}

const good: EventOutcome = { applied: true, changes: [] };
const stale: EventOutcome = { applied: false, reason: "stale_attempt" };

/** What records replies, and fails once with a bug in the place that is named. */
function recording(place: "learning" | "keeping" | "claiming") {
  let hasFailed = false;
  const failAt = (here: typeof place): void => {
    if (here !== place || hasFailed) return;
    hasFailed = true;
    throw new RangeError("Maximum call stack size exceeded");
  };
  const applied: string[] = [];
  const kept: RejectedReply[] = [];
  const record = recordReplies({
    apply: async (events, _, onCommit) => {
      const steps = events.map(({ event }) => ("step" in event ? event.step : ""));
      applied.push(...steps);
      const outcomes = steps.map((step) => (step === "good" ? good : stale));
      const rest = { tasks: [], claims: null, obsoleteAttempts: [], hasNotifications: false };
      const result: AppliedEvents = { outcomes, ...rest };
      onCommit?.(result);
      return result;
    },
    broker: { oldestMs: () => 0 },
    store: {
      recordProofs: async () => {},
      recordRejectedReplies: async (replies) => {
        failAt("keeping");
        kept.push(...replies);
      },
    },
    claims: {
      withEvents: async (_, apply) => {
        const result = await apply({});
        failAt("claiming");
        return result;
      },
    },
    remotes: {
      learn: () => failAt("learning"),
      spreadRetries: (received) => received.map(({ reportedEvent }) => reportedEvent),
    },
    dispatches: { answered: silent } as never,
    batchSizes: { learn: silent },
    measures: { replied: silent, rejected: silent },
    log: { warn: silent, error: silent, debug: silent } as Partial<Logger> as Logger,
    clock: systemClock,
    failpoint: silent,
    actor: "scheduler-1",
    identity: "required",
    tracing: noTracing,
  });
  return { record, applied, kept };
}

test.each(["learning", "keeping", "claiming"] as const)(
  "a batch that fails after its commit is not applied again, and nothing of it is lost (%s)",
  async (place) => {
    const { record, applied, kept } = recording(place);
    const batch = ["good", "late"].map(delivered);
    await expect(record(batch)).rejects.toThrow(RangeError);
    await record(batch);
    expect(applied).toEqual(["good", "late"]);
    expect(kept).toEqual([
      expect.objectContaining({ step: "late", reason: "stale_attempt", body: batch[1]?.body }),
    ]);
  },
);
