import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { serve } from "../test/serve.ts";

const resources = new AsyncDisposableStack();
let store: StateStore;
let app: ReturnType<typeof serve>;
let hints = 0;
const hint = () => {
  hints += 1;
};
beforeAll(async () => {
  const database = resources.use(await testDatabase());
  await migrate(database.url);
  const options = { url: database.url, applicationName: "test", maxConnections: 4 };
  store = resources.use(await openStateStore(options));
  await store.registerWorkflow(fulfilOrder.definition);
  const health = {
    check: () => {},
    live: () => ({ status: 200, body: { ready: true, failing: [] } }) as const,
    ready: async () => ({ status: 503, body: { ready: false, failing: ["state store"] } }) as const,
  };
  app = resources.use(serve(store, { health, hint }));
});
afterAll(async () => {
  await resources.disposeAsync();
});

const order = sampleOrder({ kind: "good" });
const post = (payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: "POST",
    url: "/v1/orders",
    headers: { "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });

test("an order is answered with 202 and its URL once it is durable, and the Schedulers get a hint", async () => {
  const before = hints;
  const response = await post(order);
  expect(response.statusCode).toBe(202);
  const { id } = response.json<{ id: string }>();
  expect(response.headers.location).toBe(`/v1/orders/${id}`);
  expect(hints).toBe(before + 1);

  const found = await app.inject({ url: `/v1/orders/${id}` });
  expect(found.json()).toMatchObject({ id, state: "pending", workflow: "fulfil-order.v1", order });
  const { steps } = found.json<{ steps: { name: string; processState: string }[] }>();
  expect(steps.map(({ name, processState }) => `${name} ${processState}`)).toEqual([
    "reserve pending",
    "assess-risk pending",
    "charge waiting",
    "ship waiting",
    "confirm waiting",
  ]);
  const history = await app.inject({ url: `/v1/orders/${id}/history` });
  expect(history.json().items).toMatchObject([{ action: "submit", toState: "pending" }]);
});

test("orders that share a transaction cause one hint", async () => {
  const before = hints;
  const orders = Array.from({ length: 40 }, (_, index) =>
    post(order, { "idempotency-key": `together-${index}` }),
  );
  expect((await Promise.all(orders)).map(({ statusCode }) => statusCode)).toEqual(
    orders.map(() => 202),
  );
  expect(hints - before).toBeLessThan(orders.length / 2);
});

test("an order with the same Idempotency-Key gets the same answer, and makes no second order", async () => {
  const headers = { "idempotency-key": "key-1" };
  const first = await post(order, headers);
  // The order of the fields is the sender's business.
  const again = await post(Object.fromEntries(Object.entries(order).toReversed()), headers);
  expect(again.statusCode).toBe(202);
  expect(again.json()).toEqual(first.json());
  expect(again.headers["idempotency-replayed"]).toBe("true");
});

test("fifty simultaneous requests with one key make one order", async () => {
  const headers = { "idempotency-key": "key-2" };
  const responses = await Promise.all(Array.from({ length: 50 }, () => post(order, headers)));
  expect(new Set(responses.map((response) => response.json<{ id: string }>().id)).size).toBe(1);
});

test("a key that was used for another order is refused", async () => {
  await post(order, { "idempotency-key": "key-3" });
  const other = await post(sampleOrder({ kind: "good", seed: 9 }), { "idempotency-key": "key-3" });
  expect(other.statusCode).toBe(422);
  expect(other.json()).toMatchObject({ code: "request.idempotency_key_reused" });
});

test.each([
  ["a total below nothing", { ...order, total: -1 }, 422, "order.invalid", "/total"],
  [
    "a quantity as a text",
    { ...order, lines: [{ ...order.lines[0], quantity: "1" }] },
    422,
    "order.invalid",
    "/lines/0/quantity",
  ],
  ["nothing of an order", {}, 422, "order.invalid", "/customer"],
  [
    "a NUL in a name",
    { ...order, customer: { ...order.customer, name: "a\u0000" } },
    422,
    "order.invalid",
    "NUL",
  ],
  ["no JSON", "{", 400, "request.not_json", ""],
])("an invalid order is refused with the reason: %s", async (_, payload, status, code, where) => {
  const response = await post(payload);
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  expect(response.json()).toMatchObject({ status, code });
  expect(response.body).toContain(where);
});

test("an order with unknown fields is refused, and each of them is named", async () => {
  const response = await post({ ...order, note: 1, "a/b~c": 2, shipTo: { ...order.shipTo, x: 3 } });
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({
    code: "order.invalid",
    errors: [
      { pointer: "/note", detail: expect.stringContaining("unknown field") },
      { pointer: "/a~1b~0c" },
      { pointer: "/shipTo/x" },
    ],
  });
});

test("the refusal of thousands of unknown fields stays small", async () => {
  const fields = Array.from({ length: 5_000 }, (_, index) => [`field-${index}`, 1]);
  const response = await post({ ...order, ...Object.fromEntries(fields) });
  expect(response.statusCode).toBe(422);
  expect(response.body.length).toBeLessThan(10_000);
});

test.each([
  ["too large", () => post(`{"x":"${"x".repeat(300_000)}"}`), 413, "request.too_large"],
  ["not JSON by its type", () => post("x", asText), 415, "request.media_type_unsupported"],
  ["empty", () => post(""), 400, "request.empty"],
  ["with an unreadable key", () => post(order, badKey), 400, "request.idempotency_key_invalid"],
  ["for an unknown order", () => get(`/v1/orders/${crypto.randomUUID()}`), 404, "order.unknown"],
  ["for an id that is none", () => get("/v1/orders/1"), 404, "order.unknown"],
  ["for a place that is not there", () => get("/nowhere"), 404, "request.no_route"],
])(
  "a request that is %s is refused, with a problem that says so",
  async (_, request, status, code) => {
    const response = await request();
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ status, code, detail: expect.any(String) });
  },
);

const asText = { "content-type": "text/plain" };
const badKey = { "idempotency-key": "ä b" };
const get = (url: string) => app.inject({ url });

test("the submission service answers the probes", async () => {
  expect((await app.inject({ url: "/health/live" })).statusCode).toBe(200);
  const ready = await app.inject({ url: "/health/ready" });
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toMatchObject({ failing: ["state store"] });
});
