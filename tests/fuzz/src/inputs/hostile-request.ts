import { sampleKinds, sampleOrder } from "@holdfast/orders";
import type { Dice } from "./dice.ts";
import {
  authorization,
  ids,
  json,
  listing,
  type Route,
  search,
  timedListing,
} from "./hostile-search.ts";
import type { DecisionContext, HostileRequest } from "./input.ts";
import type { InputClass } from "./input-classes.ts";

const orderId = (dice: Dice, { bait }: DecisionContext): string =>
  dice.pick([bait() ?? dice.uuid(), bait() ?? dice.uuid(), dice.uuid(), dice.pick(ids)]);

const submission = (dice: Dice): Route => ({
  target: "POST order",
  service: "submission",
  method: "POST",
  path: "/v1/orders",
  headers: {
    ...json,
    "idempotency-key": dice.pick([
      `fuzz-${dice.between(0, 99)}`,
      `fuzz-${dice.between(0, 99)}`,
      "",
      "x".repeat(256),
      "a b",
    ]),
    ...(dice.oneIn(10)
      ? {
          "reply-to": dice.pick([
            "status.fuzz",
            "status.absent",
            "scheduler.replies",
            "x".repeat(300),
          ]),
        }
      : {}),
    ...(dice.oneIn(10)
      ? { "correlation-id": dice.pick(["c-1", "", "x".repeat(256), "a\tb"]) }
      : {}),
  },
  valid: () => sampleOrder({ kind: dice.pick(sampleKinds), seed: dice.between(0, 50) }),
});

/**
 * The general door: the same orders, as tasks of a workflow that is named, or of one that there is
 * not.
 */
const taskSubmission = (dice: Dice): Route => ({
  ...submission(dice),
  path: "/v1/tasks",
  valid: () => ({
    workflow: dice.pick(["fulfil-order", "fulfil-order.v1", "fulfil-ordr", "x".repeat(101), ""]),
    input: sampleOrder({ kind: dice.pick(sampleKinds), seed: dice.between(0, 50) }),
    key: `fuzz-${dice.between(0, 99)}`,
    labels: { [dice.pick(["region", "a b", ""])]: dice.pick(["eu", "", "x".repeat(201)]) },
    notBefore: dice.pick(["2020-01-01T00:00:00Z", "soon"]),
  }),
});

/** No definition is as it should be: one that were would have lanes of its own. */
const workflowStore = (dice: Dice, around: DecisionContext): Route => ({
  target: "PUT workflow",
  service: "operations",
  method: "PUT",
  path: `/v1/workflows/${dice.pick(["fuzz.v1", "fulfil-order.v1", ...ids])}`,
  headers: { ...json, ...authorization(dice, around) },
  valid: () => ({ format: 1, name: "other.v1", inputSchema: {}, steps: [], output: null }),
});

const reading = (dice: Dice, around: DecisionContext): Route => ({
  target: "GET order",
  service: dice.pick(["submission", "operations"]),
  method: "GET",
  path: `/v1/tasks/${dice.oneIn(6) ? byKey(dice) : orderId(dice, around)}${dice.pick(["", "/history", "/result?wait=1ms", "/result?wait=61s", "?x=%00", "/x"])}`,
  headers: {},
  valid: null,
});

const byKey = (dice: Dice): string =>
  `by-key?workflow=${dice.pick(["fulfil-order", ...ids])}&key=${dice.pick(["fuzz-1", ...ids])}`;

const ifMatch = (dice: Dice): Record<string, string> =>
  dice.oneIn(8)
    ? {}
    : { "if-match": dice.pick([`"${dice.between(1, 12)}"`, '"1"', "*", 'W/"1"', "x"]) };

const asOperator = (): Record<string, unknown> => ({
  actor: "fuzz",
  reason: "to see what happens",
});

const onOrder = (dice: Dice, around: DecisionContext): Route => {
  const act = dice.pick(["cancel", "pause", "resume", "resubmit", "resolve"]);
  const more = { resubmit: { input: { a: [1, 2] } }, resolve: { output: { b: "c" } } };
  return {
    target: "operator on order",
    service: "operations",
    method: "POST",
    path: `/v1/tasks/${orderId(dice, around)}/${act}`,
    headers: { ...json, ...authorization(dice, around), ...ifMatch(dice) },
    valid: () => ({ ...asOperator(), ...(more as Record<string, object>)[act] }),
  };
};

/**
 * A request about an Agent or workflow, but never one that works for the orders which are judged: a
 * pause of it would be obeyed.
 */
const onTarget = (dice: Dice, around: DecisionContext): Route => {
  const name = dice.pick(["bait", "bait.v1", "nobody", ...ids]);
  return {
    target: "operator on agent or workflow",
    service: "operations",
    method: "POST",
    path: dice.pick([
      `/v1/${dice.pick(["agents", "workflows"])}/${name}/${dice.pick(["pause", "resume"])}`,
      `/v1/remotes/${name}/${dice.pick(["hold", "release"])}`,
    ]),
    headers: { ...json, ...authorization(dice, around) },
    valid: () => ({ actor: "fuzz", reason: "to see what happens" }),
  };
};

const methods = "GET HEAD PUT DELETE PATCH OPTIONS TRACE PROPFIND POST".split(" ");

const elsewhere = (dice: Dice, around: DecisionContext): Route => ({
  target: "other route",
  service: dice.pick(["submission", "operations"]),
  method: dice.pick(methods),
  path: dice.pick([
    "/",
    "/v1/pauses",
    "/v1/remotes",
    "/v1/orders",
    "/v1/orders/",
    "//v1//orders",
    "/v1/orders/%2e%2e/%2e%2e",
    "/health/live",
    "/health/ready",
    `/${"a/".repeat(500)}`,
    `/v1/orders?${"a=b&".repeat(1_000)}`,
    "/v1/orders;x=y",
    "*",
  ]),
  headers: authorization(dice, around),
  valid: null,
});

const routes = [
  submission,
  submission,
  taskSubmission,
  listing,
  search,
  workflowStore,
  reading,
  reading,
  onOrder,
  onOrder,
  onTarget,
  elsewhere,
  elsewhere,
] as const;

/**
 * Routes that have a body, and so can be made large or deep, and those that are asked for a time.
 */
const routesOf = {
  damaged: routes,
  deep: [submission, taskSubmission, workflowStore, search, onOrder, onTarget],
  large: [submission, submission, taskSubmission, taskSubmission, workflowStore, search, onOrder],
  times: [submission, taskSubmission, timedListing, timedListing, search, onOrder],
} as const;

/** A request that is nearly valid, to one of the HTTP routes. */
export function hostileRequest(
  dice: Dice,
  around: DecisionContext,
  inputClass: InputClass,
): HostileRequest {
  const { valid, ...route } = dice.pick(routesOf[inputClass.name])(dice, around);
  const { body, changes } =
    valid === null ? { body: Buffer.alloc(0), changes: [] } : inputClass.body(dice, valid);
  const strange = inputClass.headers(dice);
  const whole: HostileRequest = {
    kind: "request",
    ...route,
    headers: { ...route.headers, ...strange },
    changes: [...changes, ...Object.keys(strange)],
    body,
    manner: body.length > 0 && dice.oneIn(12) ? "chunked" : "whole",
  };
  if (inputClass.name !== "damaged") return whole;
  if (dice.oneIn(300)) return { ...whole, manner: "slow" };
  return dice.oneIn(25) ? damaged(dice, whole) : whole;
}

/** Bytes that are no request, or two, or one and a half. */
function damaged(dice: Dice, request: HostileRequest): HostileRequest {
  const { method, path, body } = request;
  const head = (...fields: readonly string[]): string =>
    [`${method} ${path} HTTP/1.1`, "host: fuzz", ...fields, "", ""].join("\r\n");
  const length = `content-length: ${body.length}`;
  const type = "content-type: application/json";
  const raw = dice.pick([
    `${method} ${path}\r\n\r\n`,
    `${method} ${path} HTTP/9.9\r\nhost: localhost\r\n\r\n`,
    `${method} /\u0000 HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\r\n\r\n\r\n",
    head("a: b\u0000c"),
    head("a : b"),
    head(" folded: x"),
    head(`x: ${"y".repeat(100_000)}`),
    head(...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)),
    head(type, length, "transfer-encoding: chunked") + body.toString("latin1"),
    head(type, "content-length: 5", "content-length: 50") + body.toString("latin1"),
    head(type, "content-length: -1") + body.toString("latin1"),
    head(type, "content-length: 99999999999999999999") + body.toString("latin1"),
    `${head(type, "transfer-encoding: chunked")}zz\r\n${body.toString("latin1")}`,
    `${head(type, "transfer-encoding: chunked")}ffffffffffffffffff\r\n`,
    `${head(type, "transfer-encoding: gzip, chunked")}0\r\n\r\n`,
    `${head(type, "transfer-encoding: chunked")}1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`,
    head(type, length) + body.toString("latin1") + head("x: y").repeat(20),
  ]);
  return {
    ...request,
    changes: ["damaged"],
    headers: {},
    body: Buffer.from(raw, "latin1"),
    manner: "raw",
  };
}
