import { expect, test } from "@jest/globals";
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
const letter = { id: "7", queue: "dead.requests", size: 10, kept: 10, properties };
const reply = { ...letter, queue: "dead.replies" };
const ofReply = { ...properties, diedIn: "scheduler.replies.3", routingKey: "reply-3.payments.t1" };

test("a submission is sent to its exchange with all that it came with", () => {
  expect(replayOf(letter)).toEqual({
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

test("a reply is sent under the name of the Agent that had sent it", () => {
  const expected = { exchange: "holdfast.replies", routingKey: "reply-3.payments.t1" };
  expect(replayOf({ ...reply, properties: ofReply })).toMatchObject({ message: expected });
  const unhandled = { ...ofReply, diedIn: null };
  expect(replayOf({ ...reply, queue: "scheduler.replies", properties: unhandled })).toMatchObject({
    message: expected,
  });
});

test("a reply without a message id gets one that is the same each time", () => {
  const nameless = { ...reply, properties: { ...ofReply, messageId: null } };
  expect(replayOf(nameless)).toMatchObject({ message: { messageId: "dead-letter-7" } });
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
])("a letter %s is not sent once more, and says why", (_, changes, words) => {
  expect(replayOf({ ...letter, ...changes })).toEqual({
    kind: "refused",
    reason: expect.stringMatching(words),
  });
});

test.each(["agent.payments", "task.submissions", "reply.payments", "heartbeat.payments", "", null])(
  "a reply whose routing key was forged as %s is not sent once more",
  (routingKey) => {
    const forged = { ...reply, properties: { ...ofReply, routingKey } };
    expect(replayOf(forged)).toMatchObject({ kind: "refused" });
  },
);
