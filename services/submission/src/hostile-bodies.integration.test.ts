import { gzipSync } from "node:zlib";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { bookTrip, sampleBooking } from "../test/bookings.ts";
import { listRoutes } from "../test/list-routes.ts";
import { serve } from "../test/serve.ts";

const resources = new AsyncDisposableStack();
let store: StateStore;
let app: ReturnType<typeof serve>;
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  const options = { url: database.url, applicationName: "test", maxConnections: 4 };
  store = resources.use(await openStateStore(options));
  await store.registerWorkflow(bookTrip);
  app = resources.use(serve(store));
});
afterAll(async () => {
  await resources.disposeAsync();
});

const booking = sampleBooking();
const text = JSON.stringify(booking);
const named = (name: string) => JSON.stringify({ ...booking, guest: { ...booking.guest, name } });

const post = (payload: Buffer | string, headers: Readonly<Record<string, string>> = {}) =>
  app.inject({
    method: "POST",
    url: "/v1/bookings",
    headers: { "content-type": "application/json", ...headers },
    payload,
  });

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const utf16 = { "content-type": "application/json; charset=utf-16le" };

test.each<[string, () => ReturnType<typeof post>]>([
  ["a prototype as a key", () => post(`{"__proto__":{"admin":true},${text.slice(1)}`)],
  ["a constructor as a key", () => post(`{"constructor":{"prototype":{}},${text.slice(1)}`)],
  ["a prototype deep inside", () => post(text.replace('"code"', '"__proto__":{"a":1},"code"'))],
  ["bytes that are no UTF-8", () => post(Buffer.from(named("Z\u00fcrich"), "latin1"))],
  ["UTF-16", () => post(Buffer.from(text, "utf16le"), utf16)],
  ["bytes that must be unpacked", () => post(gzipSync(text), { "content-encoding": "gzip" })],
  ["a NUL", () => post(named("a\u0000b"))],
  ["half a character", () => post(named("a\ud83d"))],
  ["half a character, escaped", () => post(named("x").replace('"x"', String.raw`"\ud83d"`))],
  ["a number beyond all numbers", () => post(text.replace(/"total":\d+/, '"total":1e400'))],
  [
    "a number that is not exact",
    () => post(text.replace(/"total":\d+/, '"total":9007199254740993')),
  ],
  ["five thousand levels", () => post(nested(5_000))],
  ["a hundred thousand levels", () => post(nested(100_000))],
  ["a list", () => post(`[${text}]`)],
  ["a text", () => post('"booking"')],
  ["null", () => post("null")],
])("the API refuses %s as the sender's fault, and changes nothing", async (_, send) => {
  const before = await store.countTasks();
  const response = await send();
  expect([400, 413, 415, 422]).toContain(response.statusCode);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  expect(await store.countTasks()).toEqual(before);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test("the API accepts a body with a byte order mark", async () => {
  const response = await post(`\ufeff${text}`);
  expect(response.statusCode).toBe(202);
  const { id } = response.json<{ id: string }>();
  expect((await app.inject({ url: `/v1/tasks/${id}` })).json()).toMatchObject({ input: booking });
});

/** Any booking, with anything in place of any one of its parts. */
const anyBody = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc
    .record({ field: fc.constantFrom(...Object.keys(booking)), value: fc.jsonValue() })
    .map(({ field, value }) => ({ ...booking, [field]: value })),
  fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .map((name) => ({ ...booking, guest: { ...booking.guest, name: `x${name}x` } })),
);

test("any random body is accepted and read back unchanged, or refused as the sender's fault", async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const response = await post(JSON.stringify(body));
      if (response.statusCode !== 202) {
        expect([400, 413, 422]).toContain(response.statusCode);
        return;
      }
      const { id } = response.json<{ id: string }>();
      const found = await app.inject({ url: `/v1/tasks/${id}` });
      expect(found.json().input).toEqual(JSON.parse(JSON.stringify(body)));
    }),
    { numRuns: 300 },
  );
});

test("no route breaks at a body of any depth, in whichever field", async () => {
  const token = "the-operators-token";
  await using operated = serve(store, { token });
  const routes = (await listRoutes()).filter(({ body }) => body !== undefined);
  expect(routes.length).toBeGreaterThan(15);
  const answers = routes.flatMap(({ method, url, body }) => {
    const fields = [...Object.keys(fieldsOf(body)), "inputSchema", "steps", "x"];
    return fields.map(async (field) => {
      const payload = `{"format":1,"name":"deep.v1","actor":"ann","reason":"r","action":"cancel","${field}":${nested(30_000)}}`;
      const { statusCode } = await operated.inject({
        method: method as "POST",
        url: url.replaceAll(/:\w+/g, "deep.v1"),
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
          "if-match": '"1"',
        },
        payload,
      });
      return { method, url, field, statusCode };
    });
  });
  const broken = (await Promise.all(answers)).filter(
    ({ statusCode }) => statusCode < 400 || statusCode >= 500,
  );
  expect(broken).toEqual([]);
});

const fieldsOf = (schema: unknown): object =>
  (schema as { readonly properties?: object }).properties ?? {};
