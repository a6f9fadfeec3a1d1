import { sampleKinds, sampleOrder } from "@holdfast/orders";
import type { Dice } from "./dice.ts";
import { hostileBody } from "./hostile-message.ts";
import type { HostileRequest, Surroundings } from "./input.ts";

type Route = Pick<HostileRequest, "target" | "method" | "path" | "headers"> & {
  /** Null: it has no body. */
  readonly valid: (() => unknown) | null;
};

const ids = [
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

const orderId = (dice: Dice, { bait }: Surroundings): string =>
  dice.pick([bait() ?? dice.uuid(), bait() ?? dice.uuid(), dice.uuid(), dice.pick(ids)]);

const json = { "content-type": "application/json" };

const submission = (dice: Dice): Route => ({
  target: "POST order",
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

const reading = (dice: Dice, around: Surroundings): Route => ({
  target: "GET order",
  method: "GET",
  path: `/v1/orders/${orderId(dice, around)}${dice.pick(["", "", "/history", "?x=%00", "/x"])}`,
  headers: {},
  valid: null,
});

const authorization = (dice: Dice, { operatorToken }: Surroundings): Record<string, string> =>
  dice.pick<Record<string, string>>([
    { authorization: `Bearer ${operatorToken}` },
    { authorization: `Bearer ${operatorToken}` },
    { authorization: `Bearer ${operatorToken}` },
    { authorization: "Bearer " },
    { authorization: `Bearer ${"x".repeat(4_000)}` },
    { authorization: "Basic Og==" },
    {},
  ]);

const wish = (dice: Dice): Record<string, unknown> => ({
  actor: "fuzz",
  reason: "to see what happens",
  version: dice.between(1, 12),
});

const onOrder = (dice: Dice, around: Surroundings): Route => {
  const act = dice.pick(["undo", "cancel", "pause", "resume", "resubmit", "resolve"]);
  const more = { resubmit: { input: { a: [1, 2] } }, resolve: { output: { b: "c" } } };
  return {
    target: "operator on order",
    method: "POST",
    path: `/v1/orders/${orderId(dice, around)}/${act}`,
    headers: { ...json, ...authorization(dice, around) },
    valid: () => ({ ...wish(dice), ...(more as Record<string, object>)[act] }),
  };
};

/** Never an Agent that works for the orders which are judged: a pause of it would be obeyed. */
const onTarget = (dice: Dice, around: Surroundings): Route => {
  const name = dice.pick(["bait", "bait.v1", "nobody", ...ids]);
  return {
    target: "operator on agent or workflow",
    method: "POST",
    path: `/v1/${dice.pick(["agents", "workflows"])}/${name}/${dice.pick(["pause", "resume"])}`,
    headers: { ...json, ...authorization(dice, around) },
    valid: () => ({ actor: "fuzz", reason: "to see what happens" }),
  };
};

const elsewhere = (dice: Dice, around: Surroundings): Route => ({
  target: "other route",
  method: dice.pick([
    "GET",
    "HEAD",
    "PUT",
    "DELETE",
    "PATCH",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
    "POST",
  ]),
  path: dice.pick([
    "/",
    "/v1/pauses",
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
  submission,
  reading,
  reading,
  onOrder,
  onOrder,
  onTarget,
  elsewhere,
  elsewhere,
] as const;

/** Header fields that a client of ours would not send; all of them can be written by Node's client. */
const hostileHeaders = (dice: Dice): Record<string, string> =>
  dice.pick<Record<string, string>>([
    {
      "content-type": dice.pick([
        "text/plain",
        "application/xml",
        "",
        "application/json;;",
        "a/b/c",
      ]),
    },
    {
      "content-type": `application/json; charset=${dice.pick(["utf-16", "latin1", "x".repeat(500)])}`,
    },
    { "content-encoding": dice.pick(["gzip", "br", "deflate", "x", "identity, gzip"]) },
    { host: dice.pick(["", "a".repeat(300), "evil.example:99999"]) },
    { accept: "application/xml;q=0.1, */*;q=".repeat(100) },
    { cookie: "x=".repeat(5_000) },
    { "x-large": "x".repeat(dice.pick([8_000, 20_000])) },
    { "x-forwarded-for": "1.1.1.1, ".repeat(200), forwarded: "for=_x" },
    { "idempotency-key": dice.pick(["\u00ff\u00fe", "x".repeat(255), "a,b"]) },
    { expect: dice.pick(["100-continue", "200-ok"]) },
    { upgrade: "h2c", connection: dice.pick(["upgrade", "upgrade, http2-settings", "x"]) },
    { range: "bytes=0-", "if-none-match": "*", "accept-encoding": "gzip;q=nan" },
    { "x-http-method-override": "DELETE", __proto__: "x" },
  ]);

/** A request that is nearly valid, to one of the HTTP routes. */
export function hostileRequest(dice: Dice, around: Surroundings): HostileRequest {
  const { valid, ...route } = dice.pick(routes)(dice, around);
  const { body, changes } =
    valid === null ? { body: Buffer.alloc(0), changes: [] } : hostileBody(dice, valid);
  const strange = dice.oneIn(4) ? hostileHeaders(dice) : {};
  const whole: HostileRequest = {
    kind: "request",
    ...route,
    headers: { ...route.headers, ...strange },
    changes: [...changes, ...Object.keys(strange)],
    body,
    manner: body.length > 0 && dice.oneIn(12) ? "chunked" : "whole",
  };
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
    `${method} ${path} HTTP/9.9\r\nhost: x\r\n\r\n`,
    `${method} /\u0000 HTTP/1.1\r\nhost: x\r\n\r\n`,
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
