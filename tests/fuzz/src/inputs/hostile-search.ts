import type { Dice } from "./dice.ts";
import type { DecisionContext, HostileRequest } from "./input.ts";
import { oddText } from "./odd-times.ts";

export type Route = Pick<HostileRequest, "target" | "service" | "method" | "path" | "headers"> & {
  /** Makes a valid body; null: the route has none. */
  readonly valid: (() => unknown) | null;
};

export const ids = [
  "x",
  "%00",
  "a%00b",
  "..%2f..%2fetc",
  "%",
  "%ff",
  "%ud800",
  "null",
  "__proto__",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "1'%20or%201=1",
  "y".repeat(101),
  "z".repeat(2_000),
] as const;

export const json = { "content-type": "application/json" };

export const authorization = (
  dice: Dice,
  { operatorToken }: DecisionContext,
): Record<string, string> =>
  dice.pick<Record<string, string>>([
    { authorization: `Bearer ${operatorToken}` },
    { authorization: `Bearer ${operatorToken}` },
    { authorization: `Bearer ${operatorToken}` },
    { authorization: "Bearer " },
    { authorization: `Bearer ${"x".repeat(4_000)}` },
    { authorization: "Basic Og==" },
    {},
  ]);

/** Lists, counts and figures between two instants. */
export const timedListing = (dice: Dice, around: DecisionContext): Route => {
  const [path, from, until] = dice.pick([
    ["tasks", "createdFrom", "createdBefore"],
    ["tasks/count", "createdFrom", "createdBefore"],
    ["failures", "createdFrom", "createdBefore"],
    ["statistics", "from", "until"],
  ] as const);
  const query = new URLSearchParams({ [from]: oddText(dice) });
  if (dice.oneIn(2)) query.set(until, oddText(dice));
  return {
    target: "GET list",
    service: "operations",
    method: "GET",
    path: `/v1/${path}?${query.toString()}`,
    headers: authorization(dice, around),
    valid: null,
  };
};

export const listing = (dice: Dice, around: DecisionContext): Route => {
  const value = dice.pick(["fulfil-order", "pending", "2026-11-24T00:00:00Z", "0", ...ids]);
  const field = dice.pick([
    "workflow",
    "state",
    "createdFrom",
    "correlationId",
    "limit",
    "after",
    "key",
    "label.a",
    "label.",
    "priority",
  ]);
  return {
    target: "GET list",
    service: "operations",
    method: "GET",
    path: `/v1/${dice.pick(["tasks", "orders", "tasks/count", "workflows", "agents", "pauses", "nothing"])}?${field}=${value}`,
    headers: authorization(dice, around),
    valid: null,
  };
};

export const search = (dice: Dice, around: DecisionContext): Route => ({
  target: "POST search",
  service: "operations",
  method: "POST",
  path: "/v1/tasks/search",
  headers: { ...json, ...authorization(dice, around) },
  valid: () => searchBody(dice),
});

const fields = [
  "workflow",
  "state",
  "priority",
  "key",
  "faultCode",
  "correlationId",
  "label.region",
  "label.",
  "label.a b",
  "createdAt",
  "input",
  "__proto__",
] as const;

/** A search that is nearly right: known and unknown fields, with conditions of every kind. */
const searchBody = (dice: Dice): unknown => ({
  filter: Object.fromEntries([
    [dice.pick(fields), condition(dice)],
    [dice.pick(fields), condition(dice)],
  ]),
  limit: dice.between(0, 1_001),
  after: dice.pick(["", "x", "AAAA", "x".repeat(1_001)]),
});

const condition = (dice: Dice): unknown =>
  dice.pick([
    "open",
    "fulfil-order",
    { $eq: "x" },
    { $in: ["pending", "nothing"] },
    { $like: dice.pick(["*", "%", "_\\", "*".repeat(255)]) },
    { $exists: true },
    { $gte: "2020-01-01", $lt: "now" },
    {},
  ]);
