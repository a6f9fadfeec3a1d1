import { randomUUID } from "node:crypto";
import { limits, StepReply } from "@holdfast/contracts";
import type { cancelHints, Delivery } from "@holdfast/messaging";
import { type Logger, noTracing, systemClock } from "@holdfast/runtime";
import type {
  AppliedEvents,
  EventOutcome,
  RejectedReply,
  ReportedTaskEvent,
} from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { openState } from "../../test/state.ts";
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
    whenAcknowledged: () => Promise.resolve(),
    answer: () => Promise.reject(new Error("Nothing is answered")),
    ack: silent,
    reject: silent,
    requeue: silent,
  };
}

const good: EventOutcome = { applied: true, changes: [] };
const stale: EventOutcome = { applied: false, reason: "stale_attempt" };

/** What records replies, and fails once with a bug in the place that is named. */
function recording(place: "learning" | "keeping" | "claiming" | null = null) {
  let hasFailed = false;
  const failAt = (here: "learning" | "keeping" | "claiming"): void => {
    if (here !== place || hasFailed) return;
    hasFailed = true;
    throw new RangeError("Maximum call stack size exceeded");
  };
  const applied: string[] = [];
  const kept: RejectedReply[] = [];
  const events: ReportedTaskEvent[] = [];
  const refused: Parameters<ReturnType<typeof cancelHints>>[0][number][] = [];
  const record = recordReplies({
    apply: async (reported, _, onCommit) => {
      events.push(...reported);
      const steps = reported.map(({ event }) => ("step" in event ? event.step : ""));
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
    state: openState().state,
    clock: systemClock,
    see: ({ kind }) => {
      if (kind === "replied") failAt("learning");
    },
    claims: {
      join: async () => ({ claim: null, since: 0, leavesOthers: false, expected: 0 }),
      take: () => failAt("claiming"),
    },
    measures: { replied: silent, rejected: silent },
    log: { warn: silent, error: silent, debug: silent } as Partial<Logger> as Logger,
    failpoint: silent,
    actor: "scheduler-1",
    identity: "required",
    tracing: noTracing,
    refuse: (refusals) => void refused.push(...refusals),
  });
  return { record, applied, kept, events, refused };
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

describe("a reply that is nearly right", () => {
  const address = { taskId: randomUUID(), step: "good", attempt: 1, token: randomUUID() };
  const completed = (output: unknown) => ({ ...address, outcome: { kind: "completed", output } });
  const failed = (changes: object) => ({
    ...address,
    outcome: { kind: "failed", code: "a.b", message: "no", transient: true, ...changes },
  });
  const text = JSON.stringify(completed(null));
  const values = `[${"1,".repeat(limits.messageValues)}1]`;

  const nearlyRight: readonly (readonly [string, string, string])[] = [
    ["no outcome", JSON.stringify(address), "/ must have required property 'outcome'"],
    [
      "an unknown outcome",
      JSON.stringify({ ...address, outcome: { kind: "done" } }),
      '/outcome/kind must be one of "completed", "failed", "stopped"',
    ],
    [
      "a text in the place of a flag",
      JSON.stringify(failed({ transient: "true" })),
      "/outcome/transient must be boolean",
    ],
    ["a missing code", JSON.stringify(failed({ code: undefined })), "/outcome must have required"],
    [
      "an attempt as a text",
      JSON.stringify({ ...completed(null), attempt: "1" }),
      "/attempt must be integer",
    ],
    [
      "an id in capitals",
      JSON.stringify({ ...completed(null), taskId: address.taskId.toUpperCase() }),
      "/taskId must match pattern",
    ],
    ["a number that JSON has not", text.replace('"output":null', '"output":NaN'), "it is not JSON"],
    ["an end that is missing", text.slice(0, -1), "it is not JSON"],
    ["a byte that is no UTF-8", text.replace("null", '"\xff"'), "it is not JSON"],
    ["too many values", text.replace("null", values), "it is not JSON"],
  ];

  test.each(nearlyRight)(
    "because of %s ends its attempt, is kept, and its Agent hears where it is wrong",
    async (_, body, reason) => {
      const { record, events, kept, refused } = recording();
      const delivery = { ...delivered("good"), body: Buffer.from(body, "latin1"), reject: fail };
      await record([delivery]);
      const { taskId, ...attempt } = address;
      const code = "step.reply_invalid";
      const ended = { kind: "failed", code, transient: false, effect: "unknown", ...attempt };
      expect(events).toMatchObject([
        { taskId, event: ended, faultDetail: expect.stringContaining(reason) },
      ]);
      expect(kept).toMatchObject([{ reason: code, body: delivery.body }]);
      const agent = { agent: "payments", code, reason: expect.stringContaining(reason) };
      expect(refused).toEqual([{ ...address, refused: agent }]);
    },
  );

  test.each([
    [
      "a number that is rounded in its output",
      text.replace("null", '{"a/b":[1,0.1234567890123456789]}'),
      "step.output_unstorable",
      "The output has a number of more digits than are kept: write it as a text (/a~1b/1)",
    ],
    [
      "a field that stands twice in its output",
      text.replace("null", '{"id":1,"id":2}'),
      "step.output_unstorable",
      "The output has two values: an object has each field once (/id)",
    ],
    [
      "an outcome that stands twice",
      text.replace('"output":null', '"output":null,"kind":"failed"'),
      "step.reply_invalid",
      "/outcome/kind has two values: an object has each field once",
    ],
  ])("because of %s ends its attempt, with the place", async (_, body, code, reason) => {
    const { record, events, kept, refused } = recording();
    await record([{ ...delivered("good"), body: Buffer.from(body), reject: fail }]);
    const { taskId, ...attempt } = address;
    const ended = { kind: "failed", code, transient: false, effect: "unknown", ...attempt };
    const faultDetail = expect.stringContaining(reason);
    expect(events).toMatchObject([{ taskId, event: ended, faultDetail }]);
    expect(kept).toMatchObject([{ reason: code }]);
    expect(refused).toMatchObject([{ refused: { agent: "payments", code } }]);
  });

  test.each([
    ["of an attempt that is over", JSON.stringify({ ...address, step: "late" })],
    ["that does not say which task it is about", JSON.stringify({ ...address, taskId: "7" })],
    [
      "that names two tokens in a text that is no JSON",
      `${text.slice(0, -1)} "token":"${randomUUID()}"`,
    ],
  ])("and %s is a dead letter", async (_, body) => {
    const { record, kept, refused } = recording();
    let isRejected = false;
    const reject = () => void (isRejected = true);
    await record([{ ...delivered("late"), body: Buffer.from(body), reject }]);
    expect(isRejected).toBe(true);
    expect([...kept, ...refused]).toEqual([]);
  });

  test("without an output counts as one with null", async () => {
    const { record, events, refused } = recording();
    const body = Buffer.from(JSON.stringify(completed(undefined)));
    await record([{ ...delivered("good"), body }]);
    expect(events).toMatchObject([{ event: { kind: "completed" }, output: null }]);
    expect(refused).toEqual([]);
  });
});

function fail(): void {
  throw new Error("It was rejected");
}
