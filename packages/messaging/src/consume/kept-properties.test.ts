import { expect, test } from "@jest/globals";
import type { ConsumeMessage } from "amqplib";
import { keptProperties } from "./kept-properties.ts";

const messageOf = (properties: object, routingKey = "dead.requests") =>
  ({ properties, fields: { routingKey }, content: Buffer.alloc(0) }) as unknown as ConsumeMessage;

test("keeps what a message needs to be sent once more, and nothing that the broker wrote", () => {
  const headers = {
    workflow: "trip",
    "task-labels": { city: "Rome" },
    sent: { "!": "timestamp", value: 1_700_000_000 },
    "x-death": [
      { queue: "task.submissions", reason: "rejected", "routing-keys": ["task.submissions"] },
    ],
    "x-first-death-queue": "elsewhere",
    "x-delivery-count": 3,
    CC: ["agent.payments"],
    BCC: ["agent.payments"],
  };
  const properties = { type: "trip", messageId: "m1", correlationId: "c1", replyTo: "status.a" };
  expect(keptProperties(messageOf({ ...properties, headers }))).toEqual({
    ...properties,
    diedIn: "task.submissions",
    routingKey: "task.submissions",
    headers: {
      workflow: "trip",
      "task-labels": { city: "Rome" },
      sent: { "!": "timestamp", value: 1_700_000_000 },
    },
    isWhole: true,
  });
});

test("a message that did not die has the routing key under which it came", () => {
  expect(keptProperties(messageOf({}, "reply.payments.t1"))).toMatchObject({
    diedIn: null,
    routingKey: "reply.payments.t1",
    headers: {},
    isWhole: true,
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) });

test.each([
  ["bytes", { headers: { picture: Buffer.from("x") } }],
  ["NUL in a header", { headers: { note: "a\0b" } }],
  ["half a character in the name of a header", { headers: { "\ud800": 1 } }],
  ["too many levels", { headers: deep(20) }],
  ["too long headers", { headers: { note: "x".repeat(20_000) } }],
  ["a number that JSON lacks", { headers: { weight: Number.NaN } }],
  ["a correlation id that is too long", { correlationId: "x".repeat(10_000) }],
  ["NUL in the message id", { messageId: "a\0b" }],
  [
    "a routing key of its death that is no text",
    { headers: { "x-death": [{ "routing-keys": [7] }] } },
  ],
])("a message with %s is not kept whole", (_, properties) => {
  expect(keptProperties(messageOf(properties)).isWhole).toBe(false);
});

test.each([
  ["no list", "x"],
  ["a list of numbers", [1]],
  ["an empty list", []],
  ["a list of lists", [[["queue", "task.submissions"]]]],
])("a death that is %s names no queue", (_, deaths) => {
  const kept = keptProperties(messageOf({ headers: { "x-death": deaths } }));
  expect(kept).toMatchObject({ diedIn: null, routingKey: "dead.requests" });
});

test("a header named __proto__ changes no prototype", () => {
  const headers = JSON.parse('{"__proto__":{"workflow":"trip"}}');
  const kept = keptProperties(messageOf({ headers }));
  expect(Object.getPrototypeOf(kept.headers)).toBe(Object.prototype);
  expect(JSON.stringify(kept.headers)).toBe('{"__proto__":{"workflow":"trip"}}');
});
