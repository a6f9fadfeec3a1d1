import { expect, test } from "@jest/globals";
import { statusQueueOwners } from "../access/status-queues.ts";
import { replayOf } from "./replay-of.ts";

const properties = {
  diedIn: "task.submissions",
  routingKey: "task.submissions",
  correlationId: "c1",
  replyTo: "status.shop",
  type: "order",
  messageId: "m1",
  headers: { workflow: "trip", "task-priority": "urgent" },
  isWhole: true,
};
const deadLetter = {
  id: "7",
  queue: "dead.requests",
  sender: "shop",
  age: 0,
  size: 10,
  kept: 10,
  properties,
};
const day = 24 * 3_600_000;
const ownsStatusQueue = statusQueueOwners("operations=*", new Set());
/** Replays with message ids that are kept for a month. */
const replay = (dead: Parameters<typeof replayOf>[0]) =>
  replayOf(dead, { keepKeysFor: 30 * day, ownsStatusQueue });
const reply = { ...deadLetter, queue: "dead.replies" };
const ofReply = { ...properties, diedIn: "scheduler.replies.3", routingKey: "reply-3.payments.t1" };

test("a submission is sent to its exchange with all that it came with", () => {
  expect(replay(deadLetter)).toEqual({
    kind: "possible",
    message: {
      exchange: "holdfast.submissions",
      routingKey: "task.submissions",
      type: "order",
      messageId: "m1",
      correlationId: "c1",
      replyTo: "status.shop",
      headers: properties.headers,
    },
  });
});

test("a signal is sent to its exchange, however old it is, and with an id if it had none", () => {
  const ofSignal = { ...properties, diedIn: "task.signals", messageId: null };
  expect(replay({ ...deadLetter, age: 90 * day, properties: ofSignal })).toMatchObject({
    kind: "possible",
    message: {
      exchange: "holdfast.signals",
      routingKey: "task.signals",
      messageId: "dead-letter-7",
      replyTo: "status.shop",
    },
  });
  const foreign = { ...ofSignal, replyTo: "status.billing" };
  expect(replay({ ...deadLetter, properties: foreign })).toMatchObject({ kind: "refused" });
});

test("a reply is sent under the name of the Agent that had sent it", () => {
  const expected = { exchange: "holdfast.replies", routingKey: "reply-3.payments.t1" };
  expect(replay({ ...reply, properties: ofReply })).toMatchObject({ message: expected });
  const unhandled = { ...ofReply, diedIn: null };
  expect(replay({ ...reply, queue: "scheduler.replies", properties: unhandled })).toMatchObject({
    message: expected,
  });
});

test("a reply without a message id gets one that is the same each time", () => {
  const nameless = { ...reply, properties: { ...ofReply, messageId: null } };
  expect(replay(nameless)).toMatchObject({ message: { messageId: "dead-letter-7" } });
});

test.each([
  ["of an earlier release", { properties: null }, /earlier release/],
  ["with properties that are no table", { properties: "x" }, /earlier release/],
  ["with headers that are a list", { properties: { ...properties, headers: [] } }, /earlier/],
  ["that was cut", { size: 2_000_000 }, /first 10 of its 2000000 bytes/],
  ["with a header that is lost", { properties: { ...properties, isWhole: false } }, /header/],
  ["without a message id", { properties: { ...properties, messageId: null } }, /message id/],
  ["that is a request", { properties: { ...properties, diedIn: "requests.expired" } }, /Scheduler/],
  ["that an Agent refused", { queue: "requests.expired" }, /Scheduler/],
  [
    "of the queue of an Agent",
    { properties: { ...properties, diedIn: "agent.payments" } },
    /no sub/,
  ],
  ["that did not die", { properties: { ...properties, diedIn: null } }, /no submission/],
  ["that was sent there", { properties: { ...properties, diedIn: "dead.replies" } }, /themselves/],
  ["of a foreign queue", { properties: { ...properties, diedIn: "constructor" } }, /no submission/],
])("a dead letter %s is not sent once more, and says why", (_, changes, words) => {
  expect(replay({ ...deadLetter, ...changes })).toEqual({
    kind: "refused",
    reason: expect.stringMatching(words),
  });
});

test.each(["agent.payments", "task.submissions", "reply.payments", "heartbeat.payments", "", null])(
  "a reply whose routing key was forged as %s is not sent once more",
  (routingKey) => {
    const forged = { ...reply, properties: { ...ofReply, routingKey } };
    expect(replay(forged)).toMatchObject({ kind: "refused" });
  },
);

test.each([
  ["a month", 30 * day, 30 * day - 3_600_001, "possible"],
  ["a month", 30 * day, 30 * day - 3_600_000, "refused"],
  ["a minute", 60_000, 53_999, "possible"],
  ["a minute", 60_000, 54_000, "refused"],
])(
  "a submission is sent once more only while its message id is surely kept: of %s (%p ms), after %p ms it is %s",
  (_, keepKeysFor, age, kind) => {
    const rules = { keepKeysFor, ownsStatusQueue };
    expect(replayOf({ ...deadLetter, age }, rules)).toMatchObject({ kind });
    // A reply is known by its token.
    expect(replayOf({ ...reply, age, properties: ofReply }, rules)).toMatchObject({
      kind: "possible",
    });
  },
);

test.each(["billing", null])(
  "a submission of %s that names the status queue of another application is not sent once more",
  (sender) => {
    expect(replay({ ...deadLetter, sender })).toEqual({
      kind: "refused",
      reason: expect.stringContaining("may not have its status sent"),
    });
  },
);
