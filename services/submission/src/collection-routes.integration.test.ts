import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bookTrip, sampleBooking } from "../test/bookings.ts";
import { serve } from "../test/serve.ts";

const resources = new AsyncDisposableStack();
let store: StateStore;
let app: ReturnType<typeof serve>;
let hints = 0;
const hint = () => {
  hints += 1;
};
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  const options = { url: database.url, applicationName: "test", maxConnections: 4 };
  store = resources.use(await openStateStore(options));
  await store.registerWorkflow(bookTrip);
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

const booking = sampleBooking();
const post = (payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: "POST",
    url: "/v1/bookings",
    headers: { "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });

test("a booking is answered with 202 and its URL once it is durable, and the Schedulers get a hint", async () => {
  const before = hints;
  const response = await post(booking);
  expect(response.statusCode).toBe(202);
  const { id } = response.json<{ id: string }>();
  expect(response.headers.location).toBe(`/v1/tasks/${id}`);
  expect(hints).toBe(before + 1);

  const found = await app.inject({ url: `/v1/tasks/${id}` });
  expect(found.json()).toMatchObject({
    id,
    state: "pending",
    workflow: "book-trip.v1",
    input: booking,
  });
  const { steps } = found.json<{ steps: { name: string; processState: string }[] }>();
  expect(steps.map(({ name, processState }) => `${name} ${processState}`)).toEqual([
    "reserve pending",
    "assess-risk pending",
    "charge waiting",
    "issue waiting",
    "confirm waiting",
  ]);
  const history = await app.inject({ url: `/v1/tasks/${id}/history` });
  expect(history.json().items).toMatchObject([{ action: "submit", toState: "pending" }]);
});

test("bookings that share a transaction cause one hint", async () => {
  const before = hints;
  const bookings = Array.from({ length: 40 }, (_, index) =>
    post(booking, { "idempotency-key": `together-${index}` }),
  );
  expect((await Promise.all(bookings)).map(({ statusCode }) => statusCode)).toEqual(
    bookings.map(() => 202),
  );
  expect(hints - before).toBeLessThan(bookings.length / 2);
});

test("a booking with the same Idempotency-Key gets the same answer, and makes no second booking", async () => {
  const headers = { "idempotency-key": "key-1" };
  const first = await post(booking, headers);
  // The order of the fields is the sender's business.
  const again = await post(Object.fromEntries(Object.entries(booking).toReversed()), headers);
  expect(again.statusCode).toBe(202);
  expect(again.json()).toEqual(first.json());
  expect(again.headers["idempotency-replayed"]).toBe("true");
});

test("fifty simultaneous requests with one key make one booking", async () => {
  const headers = { "idempotency-key": "key-2" };
  const responses = await Promise.all(Array.from({ length: 50 }, () => post(booking, headers)));
  expect(new Set(responses.map((response) => response.json<{ id: string }>().id)).size).toBe(1);
});

test("a key that was used for another booking is refused", async () => {
  await post(booking, { "idempotency-key": "key-3" });
  const other = await post(sampleBooking(9), { "idempotency-key": "key-3" });
  expect(other.statusCode).toBe(422);
  expect(other.json()).toMatchObject({ code: "request.idempotency_key_reused" });
});

test.each([
  ["a total below nothing", { ...booking, total: -1 }, 422, "task.invalid", "/total"],
  [
    "a number of nights as a text",
    { ...booking, rooms: [{ ...booking.rooms[0], nights: "1" }] },
    422,
    "task.invalid",
    "/rooms/0/nights",
  ],
  ["nothing of a booking", {}, 422, "task.invalid", "/guest"],
  [
    "a NUL in a name",
    { ...booking, guest: { ...booking.guest, name: "a\u0000" } },
    422,
    "task.invalid",
    "NUL",
  ],
  ["no JSON", "{", 400, "request.not_json", ""],
])("an invalid booking is refused with the reason: %s", async (_, payload, status, code, where) => {
  const response = await post(payload);
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  expect(response.json()).toMatchObject({ status, code });
  expect(response.body).toContain(where);
});

test("a booking with unknown fields is refused, and each of them is named", async () => {
  const response = await post({
    ...booking,
    note: 1,
    "a/b~c": 2,
    billTo: { ...booking.billTo, x: 3 },
  });
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({
    code: "task.invalid",
    errors: [
      { pointer: "/note", detail: expect.stringContaining("unknown field") },
      { pointer: "/a~1b~0c" },
      { pointer: "/billTo/x" },
    ],
  });
});

test("the refusal of thousands of unknown fields stays small", async () => {
  const fields = Array.from({ length: 5_000 }, (_, index) => [`field-${index}`, 1]);
  const response = await post({ ...booking, ...Object.fromEntries(fields) });
  expect(response.statusCode).toBe(422);
  expect(response.body.length).toBeLessThan(10_000);
});

test.each([
  ["too large", () => post(`{"x":"${"x".repeat(300_000)}"}`), 413, "request.too_large"],
  ["not JSON by its type", () => post("x", asText), 415, "request.media_type_unsupported"],
  ["empty", () => post(""), 400, "request.empty"],
  ["with an unreadable key", () => post(booking, badKey), 400, "request.idempotency_key_invalid"],
  ["for an unknown booking", () => get(`/v1/tasks/${crypto.randomUUID()}`), 404, "task.unknown"],
  ["for an id that is none", () => get("/v1/tasks/1"), 404, "task.unknown"],
  [
    "for a task below its collection",
    () => get(`/v1/bookings/${crypto.randomUUID()}`),
    404,
    "request.no_route",
  ],
  ["for a list of a collection", () => get("/v1/bookings"), 404, "request.no_route"],
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
