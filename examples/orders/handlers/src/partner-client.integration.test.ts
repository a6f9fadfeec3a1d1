import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { partnerClient } from "./partner-client.ts";

/** A partner that answers every request in the same way. */
async function partner(answer: RequestListener) {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const server = createServer(answer).listen(0, "127.0.0.1", resolve);
  await listening;
  const { port } = server.address() as AddressInfo;
  return {
    client: partnerClient("payments", `http://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      server.closeAllConnections();
      await closed;
    },
  };
}

const saying =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
const { signal } = new AbortController();
const request = { body: { amount: 1 }, key: "t:charge:do", signal };

test("sends the key and the body, and returns the partner's answer", async () => {
  const seen: unknown[] = [];
  await using at = await partner((incoming, response) => {
    seen.push(incoming.method, incoming.url, incoming.headers["idempotency-key"]);
    incoming.pipe(response.writeHead(201));
  });
  expect(await at.client.post("/payments/charges", request)).toEqual({ amount: 1 });
  expect(seen).toEqual(["POST", "/payments/charges", "t:charge:do"]);
});

test("requests an undo with the idempotency key of the do", async () => {
  const seen: unknown[] = [];
  await using at = await partner((incoming, response) => {
    seen.push(incoming.method, incoming.url);
    saying(200, {})(incoming, response);
  });
  await at.client.undo("/payments/charges", { key: "t:charge:do", signal });
  expect(seen).toEqual(["DELETE", "/payments/charges/by-key/t%3Acharge%3Ado"]);
});

test.each<[string, RequestListener, object]>([
  [
    "a declined card",
    saying(402, { code: "declined" }),
    { transient: false, code: "payments.declined", effect: "none" },
  ],
  [
    "a key that was undone",
    saying(410, { code: "undone" }),
    { transient: false, code: "payments.undone", effect: "none" },
  ],
  [
    "a key used for something else",
    saying(422, { code: "key_reused" }),
    { transient: false, code: "payments.key_reused", effect: null },
  ],
  [
    "a refusal without a code",
    saying(404, {}),
    { transient: false, code: "payments.http_404", effect: null },
  ],
  [
    "a key in progress",
    saying(409, { code: "in_progress" }),
    { transient: true, code: "payments.in_progress" },
  ],
  [
    "too many requests",
    saying(429, {}, { "retry-after": "7" }),
    { transient: true, details: { status: 429 }, retryAfter: 7_000 },
  ],
  [
    "a date to come back at",
    saying(503, {}, { "retry-after": new Date(0).toUTCString() }),
    { transient: true, retryAfter: 0 },
  ],
  [
    "a wait of three thousand years, cut to an hour",
    saying(503, {}, { "retry-after": "99999999999" }),
    { transient: true, retryAfter: 3_600_000 },
  ],
  [
    "a wait beyond all numbers, cut to an hour",
    saying(503, {}, { "retry-after": "9".repeat(400) }),
    { transient: true, retryAfter: 3_600_000 },
  ],
  [
    "a date in the year 9999, cut to an hour",
    saying(503, {}, { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }),
    { transient: true, retryAfter: 3_600_000 },
  ],
  [
    "a date by the partner's own clock, which is years ahead",
    saying(
      503,
      {},
      {
        date: "Fri, 01 Jan 2100 00:00:00 GMT",
        "retry-after": "Fri, 01 Jan 2100 00:00:30 GMT",
      },
    ),
    { transient: true, retryAfter: 30_000 },
  ],
  [
    "a wait that is no date and no number",
    saying(503, {}, { "retry-after": "soon" }),
    { transient: true, details: { status: 503 } },
  ],
  [
    "an error of its own",
    saying(500, {}),
    { transient: true, code: "payments.http_500", details: { status: 500 } },
  ],
  ["a proxy's error page", saying(502, "<html>"), { transient: true, code: "payments.garbled" }],
  ["a garbled success", saying(201, '{"chargeId":'), { transient: true, code: "payments.garbled" }],
  [
    "a connection that breaks",
    (incoming) => incoming.socket.destroy(),
    { transient: true, code: "payments.unreachable" },
  ],
])("%s becomes the fault that fits it", async (_, answer, expected) => {
  await using at = await partner(answer);
  await expect(at.client.post("/payments/charges", request)).rejects.toMatchObject(expected);
});

test("a partner that cannot be reached is a transient fault", async () => {
  const client = partnerClient("payments", "http://127.0.0.1:1");
  await expect(client.post("/", request)).rejects.toMatchObject({ code: "payments.unreachable" });
});

test("aborts its request on a signal, and reports no fault of the partner", async () => {
  await using at = await partner(() => {});
  const stop = new AbortController();
  const asked = at.client.post("/payments/charges", { ...request, signal: stop.signal });
  stop.abort();
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});

test.each([400, 401, 403, 404, 405, 413, 422, 451])(
  "a %i from a gateway says nothing about what the partner has done",
  async (status) => {
    await using at = await partner(saying(status, { message: "not here" }));
    const asked = at.client.post("/payments/charges", request);
    await expect(asked).rejects.toMatchObject({ details: { status }, effect: null });
  },
);
