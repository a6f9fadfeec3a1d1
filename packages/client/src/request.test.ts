import { parseDuration } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { ConnectionError, ProblemError } from "./errors.ts";
import { holdfastClient } from "./holdfast-client.ts";
import { backoff, retryAfter } from "./retry.ts";
import { toMilliseconds } from "./wait.ts";

type Reply = Response | Error;
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const problem = (status: number, code: string, headers = {}) =>
  json(status, { type: "about:blank", title: "", status, code, detail: `It is ${code}.` }, headers);

/** A client of a service that answers so, one answer after the other. */
function clientOf(...replies: readonly Reply[]) {
  const left = [...replies];
  const asked: { readonly url: string; readonly init: RequestInit; readonly headers: Headers }[] =
    [];
  const client = holdfastClient({
    url: "http://holdfast.test/",
    token: "secret",
    retryFor: 4_000,
    fetch: async (url, init = {}) => {
      asked.push({ url: url as string, init, headers: new Headers(init.headers) });
      const reply = left.shift() ?? new Error("nothing more was expected");
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { client, asked };
}
const accepted = () => json(202, { id: "t1" });

test("a submission is repeated under the same idempotency key, whatever was lost", async () => {
  const { client, asked } = clientOf(
    new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }),
    new Response("<html>", { status: 503 }),
    problem(429, "auth.too_many_tries", { "retry-after": "0" }),
    accepted(),
  );
  expect(await client.submit("trip", { x: 1 })).toEqual({ id: "t1", replayed: false });
  const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(asked).toHaveLength(4);
});

test("a problem names its request, if what answered named one", async () => {
  const body = { title: "", status: 500, code: "request.failed", detail: "No.", type: "" };
  const { client } = clientOf(json(500, { ...body, requestId: "r-1" }), json(500, body));
  await expect(client.tasks.get("t1")).rejects.toMatchObject({ requestId: "r-1" });
  await expect(client.tasks.get("t1")).rejects.toMatchObject({ requestId: null });
});

test.each([
  [{ status: 422, retryable: true }, true],
  [{ status: 503, retryable: false }, false],
  [{ status: 503 }, true],
  [{ status: 429 }, true],
  [{ status: 500 }, false],
])("a problem %j may be retried: %p", (said, retryable) => {
  const body = { type: "", title: "", code: "a.b", detail: "No.", ...said };
  expect(new ProblemError(body).retryable).toBe(retryable);
});

test("two submissions have two idempotency keys, and one that is given is sent", async () => {
  const { client, asked } = clientOf(accepted(), accepted(), accepted());
  await client.submit("trip", {});
  await client.submit("trip", {});
  await client.submit("trip", {}, { idempotencyKey: "mine" });
  const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe("mine");
});

test("what is refused is not repeated, and says its code and places", async () => {
  const errors = [{ pointer: "/x", detail: "is missing" }];
  const body = { title: "", status: 422, code: "task.invalid", detail: "No.", errors };
  const { client, asked } = clientOf(json(422, body));
  const error = await client.submit("trip", {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ status: 422, code: "task.invalid", message: "No.", errors });
  expect(asked).toHaveLength(1);
});

test("an act of an operator is not repeated when it may have been carried out", async () => {
  const lost = clientOf(new TypeError("fetch failed"));
  const how = { reason: "why", version: 3 };
  await expect(lost.client.tasks.cancel("t1", how)).rejects.toBeInstanceOf(ConnectionError);
  const [first] = lost.asked;
  expect(first?.url).toBe("http://holdfast.test/v1/tasks/t1/cancel");
  expect(first?.headers.get("if-match")).toBe('"3"');
  expect(JSON.parse(first?.init.body as string)).toEqual({ reason: "why", actor: "client" });
  const unknown = clientOf(problem(503, "store.outcome_unknown"));
  await expect(unknown.client.tasks.cancel("t1", how)).rejects.toMatchObject({ status: 503 });
  expect(unknown.asked).toHaveLength(1);
});

test("a call ends when its time for repetitions is over, with what was wrong last", async () => {
  const replies = Array.from({ length: 99 }, () => new TypeError("fetch failed"));
  const { client, asked } = clientOf(...replies);
  await expect(client.tasks.get("t1")).rejects.toMatchObject({
    code: "client.not_reachable",
    message: expect.stringMatching(
      /^http:\/\/holdfast\.test\/ is not reachable: fetch failed \(GET \/v1\/tasks\/t1, tried \d+ times in [\d.]+ s\)$/,
    ),
  });
  expect(asked.length).toBeGreaterThan(2);
});

test("a call that is aborted is not repeated", async () => {
  const { client, asked } = clientOf(new TypeError("aborted"));
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(client.submit("trip", {}, { signal })).rejects.toThrow("aborted");
  expect(asked).toHaveLength(1);
});

test.each([
  [200, "<html>hello</html>"],
  [404, "no such page"],
])(
  "an answer %i of another program than the service is an error that says so",
  async (status, body) => {
    const { client } = clientOf(new Response(body, { status }));
    await expect(client.tasks.get("t1")).rejects.toThrow(/is it the URL of a submission service/);
  },
);

test("a list is read page by page, and a key with any character is asked for as it is", async () => {
  const page = (names: readonly string[], next: string | null) =>
    json(200, { items: names.map((name) => ({ name })), next });
  const { client, asked } = clientOf(page(["a", "b"], "b&1"), page(["c"], null), json(200, {}));
  expect((await client.agents.list()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  await client.tasks.getByKey("trip", "o/7?&#");
  expect(asked.map(({ url }) => url.replace("http://holdfast.test", ""))).toEqual([
    "/v1/agents?limit=500",
    "/v1/agents?limit=500&after=b%261",
    "/v1/tasks/by-key?workflow=trip&key=o%2F7%3F%26%23",
  ]);
});

test.each(["processed", "undone", "halted"])(
  "a run returns once its task is %s, whatever is left of its time",
  async (state) => {
    const ended = { id: "t1", state, result: null, faultCode: null };
    const { client, asked } = clientOf(accepted(), json(state === "halted" ? 202 : 200, ended));
    expect(await client.run("trip", {}, { wait: "1h" })).toEqual(ended);
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
      "/v1/tasks",
      "/v1/tasks/t1/result",
    ]);
  },
);

test("an id cannot reach another route", async () => {
  const { client, asked } = clientOf(json(200, { items: [], next: null }));
  await client.tasks.history("../workflows/x?y#z");
  expect(asked[0]?.url).toBe("http://holdfast.test/v1/tasks/..%2Fworkflows%2Fx%3Fy%23z/history");
});

test("delays grow up to a bound, and are never the same for all", () => {
  expect(backoff(0, () => 0)).toBe(100);
  expect(backoff(0, () => 1)).toBe(200);
  expect(backoff(100, () => 1)).toBe(5_000);
  expect(retryAfter("3")).toBe(3_000);
  expect(retryAfter("Wed, 25 Nov 2026 10:00:05 GMT", Date.UTC(2026, 10, 25, 10))).toBe(5_000);
  expect(retryAfter("soon")).toBeNull();
});

test("a duration is what it is everywhere else", () => {
  const read = (text: string) => {
    try {
      return toMilliseconds(text as "30s");
    } catch {
      return Number.NaN;
    }
  };
  const texts = "0ms 250ms 30s 5m 2h 1d 1.5m -1s +1h 1w 30 s 1S 999999999999d 9999999999999s";
  for (const text of texts.split(" "))
    expect([text, read(text)]).toEqual([text, parseDuration(text)]);
});

test("a duration has a unit, or is milliseconds", () => {
  expect([toMilliseconds("30s"), toMilliseconds(20)]).toEqual([30_000, 20]);
  expect(() => toMilliseconds("30" as "30s")).toThrow("30 is no duration: write it as 500ms, 30s");
  expect(() => toMilliseconds(-1)).toThrow(RangeError);
});
