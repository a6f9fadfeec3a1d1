import { randomUUID } from "node:crypto";
import { StepRequest } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import { type Logger, systemClock } from "@holdfast/runtime";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { requeueExpired } from "./requeue-expired.ts";

const silent = () => {};

const request = (): StepRequest => ({
  taskId: randomUUID(),
  step: "charge",
  agent: "payments",
  operation: "charge",
  attempt: 1,
  token: randomUUID(),
  idempotencyKey: "task:charge:do",
  workMs: 1_000,
  completeBy: "2030-01-01T00:00:00.000Z",
  input: null,
});

const dead = (deathReason: string, isBundled: boolean): Delivery => ({
  body: StepRequest.encode(request()),
  size: 0,
  type: StepRequest.type,
  messageId: "m-1",
  correlationId: undefined,
  userId: undefined,
  replyTo: undefined,
  routingKey: "requests.expired",
  isUrgent: false,
  redelivered: false,
  isCurrent: () => true,
  whenAcknowledged: () => Promise.resolve(),
  answer: () => Promise.reject(new Error("Nothing is answered")),
  deathReason,
  isBundled,
  ack: silent,
  reject: silent,
  requeue: silent,
});

/** What is made of a dead request, and how many dead letters were kept. */
async function eventOf(delivery: Delivery) {
  const applied: ReportedTaskEvent[] = [];
  let kept = 0;
  const requeue = requeueExpired({
    store: { recordDeadLetters: async (deadLetters) => void (kept += deadLetters.length) },
    clock: systemClock,
    apply: async (reportedEvents) => {
      applied.push(...reportedEvents);
      return {
        outcomes: [],
        tasks: [],
        claims: null,
        obsoleteAttempts: [],
        hasNotifications: false,
      };
    },
    see: silent,
    measures: { returned: silent },
    log: { warn: silent, error: silent } as Partial<Logger> as Logger,
    failpoint: silent,
    actor: "scheduler-1",
  });
  await requeue([delivery]);
  return { event: applied[0]?.event, kept };
}

test.each([
  ["expired", false, { kind: "neverStarted" }],
  ["delivery_limit", false, { kind: "failed", transient: true, effect: "unknown" }],
  ["rejected", false, { kind: "failed", transient: false, effect: "unknown" }],
])("a request that was dead-lettered alone, %s", async (reason, isBundled, expected) => {
  expect((await eventOf(dead(reason, isBundled))).event).toMatchObject(expected);
});

test("no request of a rejected bundle fails for good, because all but one were readable", async () => {
  const { event, kept } = await eventOf(dead("rejected", true));
  expect(event).toMatchObject({ kind: "failed", transient: true, effect: "unknown" });
  expect(kept).toBe(1);
});
