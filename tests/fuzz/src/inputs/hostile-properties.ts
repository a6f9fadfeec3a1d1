import type { Options } from "amqplib";
import type { Dice } from "./dice.ts";

/** Short strings of AMQP hold 255 bytes. */
const shortTexts = [
  "",
  "a\u0000b",
  "\u0000",
  "x".repeat(255),
  "\ufffd\ufffe",
  "\u{1f4a9}",
  "'; drop table state.tasks; --",
  "__proto__",
  "\r\nx: y",
  "-1",
  "1e300",
] as const;

const deaths: readonly unknown[] = [
  "text",
  [],
  ["text"],
  [{}],
  [{ queue: "agent.payments", reason: "expired", count: -1, "routing-keys": "none" }],
  [{ queue: 1, reason: null, count: "many", exchange: [], "routing-keys": [{}] }],
  {},
  null,
  true,
];

const headers = (dice: Dice): Record<string, unknown> =>
  dice.pick<Record<string, unknown>>([
    {
      "x-first-death-reason": dice.pick(["expired", "rejected", "delivery_limit", "a\u0000b", ""]),
    },
    { "x-first-death-reason": dice.pick<unknown>([1, null, {}, [1], true]) },
    { "x-first-death-reason": "expired", "x-first-death-queue": "a\u0000b" },
    { "x-death": dice.pick(deaths) },
    { "x-delivery-count": dice.pick<unknown>([-1, 2 ** 31, "many"]) },
    { "x-opt-deaths": "x".repeat(dice.pick([10, 60_000])) },
    { "a\u0000b": "c\u0000d", nested: { nested: { nested: [null, { "": "" }] } } },
    { __proto__: null, constructor: { prototype: { polluted: true } } },
    { CC: dice.pick<unknown>([["scheduler.wake"], "scheduler.wake", [], [1]]) },
  ]);

/** One property each; the last ones make the broker close the channel. */
const mutations: readonly ((dice: Dice) => Options.Publish)[] = [
  (dice) => ({ messageId: dice.pick(shortTexts) }),
  (dice) => ({ type: dice.pick(shortTexts) }),
  (dice) => ({ correlationId: dice.pick(shortTexts) }),
  (dice) => ({
    replyTo: dice.pick(["status.fuzz", "status.absent", "task.submissions", ...shortTexts]),
  }),
  (dice) => ({ appId: dice.pick(shortTexts), contentEncoding: dice.pick(["gzip", "a\u0000b"]) }),
  (dice) => ({
    contentType: dice.pick(["application/x-ndjson", "text/plain", "application/jsön", "a\u0000b"]),
  }),
  (dice) => ({ headers: headers(dice) }),
  (dice) => ({ headers: headers(dice) }),
  (dice) => ({ expiration: dice.pick(["0", "1", "4294967295"]) }),
  (dice) => ({ priority: dice.pick([0, 255]), timestamp: dice.pick([0, 2 ** 48]) }),
  () => ({ persistent: false }),
];

const closing: readonly Options.Publish[] = [
  { userId: "somebody-else" },
  { expiration: "-1" },
  { expiration: "soon" },
  { replyTo: "amq.rabbitmq.reply-to" },
  { headers: { CC: 1 } },
];

/** Properties that no publisher of ours would set. */
export const hostileProperties = (dice: Dice): Options.Publish => dice.pick(mutations)(dice);

/** Properties for which the broker closes the channel: a publisher must then open another. */
export const refusedProperties = (dice: Dice): Options.Publish => dice.pick(closing);
