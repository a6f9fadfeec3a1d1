import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { RequestError } from "./errors.ts";
import { type HoldfastClient, holdfastClient } from "./holdfast-client.ts";
import { jsonText } from "./json-text.ts";

/**
 * A client whose requests are counted and never answered: what is the caller's own mistake is never
 * sent.
 */
function clientOf(options: Partial<Parameters<typeof holdfastClient>[0]> = {}) {
  let sent = 0;
  const client = holdfastClient({
    url: "http://holdfast.test",
    fetch: async () => {
      sent += 1;
      throw new TypeError("fetch failed");
    },
    ...options,
  });
  return { client, count: () => sent };
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

test.each<[string, unknown, string]>([
  ["a bigint", { n: 10n }, "/input/n of the body cannot be sent as JSON: it is a bigint"],
  ["a bigint in a list", { a: [1, [2n]] }, "/input/a/1/0 of the body"],
  ["a key with a slash", { "a/b~c": 1n }, "/input/a~1b~0c of the body"],
  [
    "a number that is none",
    { n: Number.NaN },
    "/input/n of the body cannot be sent as JSON: it is NaN",
  ],
  ["a number without end", { n: -Infinity }, "it is -Infinity, which JSON has not"],
  ["a cycle", cyclic, "/input/self of the body cannot be sent as JSON: it holds itself"],
  ["a map", { m: new Map([[1, 2]]) }, "/input/m of the body cannot be sent as JSON: it is a Map"],
  ["a set", { s: new Set() }, "it is a Set"],
  ["bytes", { b: new Uint8Array(2) }, "it is a Uint8Array"],
  [
    "a date that is none",
    { d: new Date(Number.NaN) },
    "/input/d of the body cannot be sent as JSON: it is an invalid date",
  ],
  ["a promise", { p: Promise.resolve(1) }, "it is a Promise: send its values"],
  ["a function", { f: () => 1 }, "/input/f of the body cannot be sent as JSON: it is a function"],
  ["a symbol", { s: Symbol("x") }, "it is a symbol"],
  ["a hole in a list", { a: [1, undefined] }, "/input/a/1 of the body"],
  [
    "a toJSON that throws",
    {
      toJSON: () => {
        throw new Error("no such thing");
      },
    },
    "no such thing",
  ],
])(
  "an input with %s is refused at once with its place, and never called an outage",
  async (_, input, words) => {
    const { client, count } = clientOf();
    const error = await client.submit("trip", input).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ code: "client.request_invalid" });
    expect((error as Error).message).toContain(words);
    expect(count()).toBe(0);
  },
);

test.each<[string, Partial<Parameters<typeof holdfastClient>[0]>, RegExp]>([
  ["a URL that is none", { url: "holdfast" }, /^holdfast is no URL of a submission service/],
  ["a URL of another kind", { url: "amqp://holdfast" }, /is no URL of a submission service/],
  ["a user in its URL", { url: "http://ada:secret@holdfast.test" }, /holds a user or a password/],
  ["a token with a line break", { token: "secret\nx" }, /header "authorization"/],
  ["a token in other letters", { token: "sécrêt‑" }, /header "authorization"/],
])("a client with %s says so at once, and shows no secret", async (_, options, words) => {
  const { client, count } = clientOf(options);
  for (const ask of [() => client.submit("trip", {}), () => client.tasks.get("t1")]) {
    const error = await ask().then(
      () => new Error("It was sent."),
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toBeInstanceOf(RequestError);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("cret");
  }
  await expect(client.follow("t1").next()).rejects.toBeInstanceOf(RequestError);
  expect(count()).toBe(0);
});

test.each<[string, (client: HoldfastClient) => Promise<unknown>]>([
  ["an idempotency key", (client) => client.submit("trip", {}, { idempotencyKey: "a\nb" })],
  [
    "a header of its own",
    (client) => client.request({ method: "GET", path: "/", headers: { "a b": "c" } }),
  ],
  ["a body of a GET", (client) => client.request({ method: "GET", path: "/", body: {} })],
])("%s that cannot be sent is the caller's mistake", async (_, ask) => {
  const { client, count } = clientOf();
  await expect(ask(client)).rejects.toBeInstanceOf(RequestError);
  expect(count()).toBe(0);
});

test("a port that fetch connects to for no one is not tried again and again", async () => {
  const client = holdfastClient({ url: "http://127.0.0.1:6000" });
  await expect(client.submit("trip", {})).rejects.toThrow(
    /fetch connects to no such port \(POST \/v1\/tasks, tried once in/,
  );
});

test("what is JSON is sent as it is, and a field that is undefined is left out", () => {
  expect(jsonText({ a: undefined, d: new Date(0), n: -0 })).toBe(
    '{"d":"1970-01-01T00:00:00.000Z","n":0}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value));
    }),
  );
});
