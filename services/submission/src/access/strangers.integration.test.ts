import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { readStream } from "../../test/read-stream.ts";
import { type ServeOptions, serve } from "../../test/serve.ts";
import {
  authorization,
  idOf,
  input,
  openTrips,
  type TripService,
  token,
} from "../../test/trips.ts";
import { anonymousPermissions } from "./access.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

/** A service as others than this machine reach it. */
const open = (options: ServeOptions = {}) =>
  serve(trips.store, { token, anonymousMay: "none", ...options });
type App = ReturnType<typeof open>;

const operator = { authorization };
const words = { actor: "Grace of the fraud desk", reason: "suspected mule" };

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly security: readonly object[] } }>
  >;
}

/** The paths of all routes that show one task without a token, for this one. */
async function openPathsOf(app: App, id: string): Promise<readonly string[]> {
  const { paths } = (await app.inject({ url: "/v1/openapi.json" })).json<Document>();
  return Object.entries(paths).flatMap(([path, { get }]) =>
    path.includes("{id}") && !isOfSignals(path) && get?.security.length === 0
      ? [path.replace("{id}", id)]
      : [],
  );
}

/** Signals have no words, and who sends them by hand has a test beside their route. */
const isOfSignals = (path: string): boolean => path.endsWith("/signals");
const isStream = (path: string): boolean => path.endsWith("/events");

/** All that a route shows, of a stream until it has shown the task as it stands. */
async function shown(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  if (!isStream(url)) return await (await fetch(url, { headers })).text();
  await using stream = await readStream(url, headers);
  await stream.until((client) => client.events().some(({ event }) => event === "task"));
  return stream.text();
}

test("no route shows strangers the name of an operator or its words, and each shows them to operators", async () => {
  await using app = open();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const id = idOf(await trips.submit());
  await trips.post(`/v1/tasks/${id}/pause`, words, { ...operator, "if-match": '"1"' });
  const paths = await openPathsOf(app, id);
  expect(paths.length).toBeGreaterThanOrEqual(4);
  expect(paths.filter(isStream)).toHaveLength(1);
  for (const path of paths) {
    const toStrangers = await shown(url + path, {});
    expect({ path, toStrangers }).toEqual({
      path,
      toStrangers: expect.stringContaining(path.endsWith("/history") ? "submit" : id),
    });
    expect({ path, toStrangers }).not.toMatchObject({
      toStrangers: expect.stringMatching(/Grace|mule/),
    });
    if (path.endsWith("/result")) continue;
    expect(await shown(url + path, operator)).toMatch(
      /Grace of the fraud desk[^]*suspected mule|suspected mule[^]*Grace of the fraud desk/,
    );
  }
});

test("a stranger who guesses a business key learns no task by it, an operator does", async () => {
  await using app = open();
  const submit = (headers: Readonly<Record<string, string>>) =>
    app.inject({
      method: "POST",
      url: "/v1/tasks",
      headers,
      payload: { workflow: "trip", input, key: "order-1042" },
    });
  const id = idOf(await submit({}));
  const guessed = await submit({});
  expect(guessed.json()).toMatchObject({ status: 409, code: "task.key_in_use" });
  expect(JSON.stringify([guessed.headers, guessed.body])).not.toContain(id);
  expect((await submit(operator)).json()).toMatchObject({ taskId: id });
  const collection = await app.inject({
    method: "POST",
    url: "/v1/trips",
    headers: { "task-key": "order-1042" },
    payload: input,
  });
  expect(collection.json()).toMatchObject({ code: "task.key_in_use" });
  expect(collection.body).not.toContain(id);
});

test("a stranger who guesses an idempotency key learns that it was used, and no task by it", async () => {
  await using app = open({ readTasks: "operators" });
  const submit = (payload: object, headers: Readonly<Record<string, string>> = {}) =>
    app.inject({
      method: "POST",
      url: "/v1/tasks",
      headers: { "idempotency-key": "order-1043", ...headers },
      payload: { workflow: "trip", ...payload },
    });
  const id = idOf(await submit({ input }));
  const guessed = await submit({ input: { ...input, guest: "Grace" } });
  expect(guessed.json()).toMatchObject({ status: 422, code: "request.idempotency_key_reused" });
  expect(JSON.stringify([guessed.headers, guessed.body])).not.toContain(id);
  // Who guesses the whole request, too, gets what its sender gets who repeats it: an id that opens
  // nothing.
  expect(idOf(await submit({ input }))).toBe(id);
  for (const path of ["", "/history", "/result", "/events"]) {
    expect((await app.inject({ url: `/v1/tasks/${id}${path}` })).statusCode).toBe(401);
  }
});

describe("with READ_TASKS=operators", () => {
  test("every route that shows a task is refused to strangers and open to operators", async () => {
    await using app = open({ readTasks: "operators" });
    const id = idOf(await trips.submit());
    for (const path of await openPathsOf(app, id)) {
      for (const method of isStream(path) ? (["GET"] as const) : (["GET", "HEAD"] as const)) {
        const refused = await app.inject({ method, url: path });
        expect({ path, method, status: refused.statusCode }).toEqual({ path, method, status: 401 });
      }
      if (isStream(path)) continue;
      const read = await app.inject({ url: path, headers: operator });
      expect(read.statusCode).toBeLessThan(300);
    }
  });

  test("the result of a task that was submitted before is for operators", async () => {
    const submitTo = async (app: App, headers: Readonly<Record<string, string>>) => {
      const url = await app.listen({ host: "127.0.0.1", port: 0 });
      const asking = { "content-type": "application/json", "idempotency-key": "k" };
      const answer = await fetch(`${url}/v1/tasks`, {
        method: "POST",
        headers: { ...asking, prefer: "wait=60", connection: "close", ...headers },
        body: JSON.stringify({ workflow: "trip", input }),
      });
      return [answer.status, answer.headers.get("preference-applied")];
    };
    const id = idOf(await trips.submit({}, { "idempotency-key": "k" }));
    await finishTask(trips.url, id);
    await using closed = open({ readTasks: "operators" });
    expect(await submitTo(closed, {})).toEqual([202, null]);
    await using forOperators = open({ readTasks: "operators" });
    expect(await submitTo(forOperators, operator)).toEqual([200, "wait=60"]);
    await using readable = open();
    expect(await submitTo(readable, {})).toEqual([200, "wait=60"]);
  });
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** What asks for each permission, at both doors. */
const requests = {
  urgent: { body: { priority: "urgent" }, headers: { "task-priority": "urgent" }, query: "" },
  weight: {
    body: { fairness: { key: "a", weight: 2 } },
    headers: { "fairness-key": "a", "fairness-weight": "2" },
    query: "",
  },
  "reply-to": {
    body: { replyTo: "status.billing" },
    headers: { "reply-to": "status.billing" },
    query: "",
  },
  "unknown-agents": { body: {}, headers: {}, query: "?allowUnknownAgents=true" },
  later: { body: { notBefore: inDays(31) }, headers: { "not-before": inDays(31) }, query: "" },
} as const;
type Requested = keyof typeof requests;

async function askFor(
  app: App,
  permission: Requested,
  more: Readonly<Record<string, string>> = {},
) {
  const { body, headers, query } = requests[permission];
  const post = (url: string, payload: object, said: object) =>
    app.inject({ method: "POST", url: url + query, payload, headers: { ...more, ...said } });
  const answers = [
    await post("/v1/tasks", { workflow: "trip", input, ...body }, {}),
    await post("/v1/trips", input, headers),
  ];
  return answers.map((answer) => [answer.statusCode, answer.json<{ code?: string }>().code]);
}
const refused = [403, "access.denied"];
const taken = [202, undefined];

describe.each(Object.keys(requests) as Requested[])("a permission for %s", (permission) => {
  test("is refused to strangers, at both doors, and stores nothing", async () => {
    await using app = open();
    expect(await askFor(app, permission)).toEqual([refused, refused]);
    expect(await askFor(app, permission, { authorization: "Bearer of a gateway" })).toEqual([
      refused,
      refused,
    ]);
    expect(await trips.store.countTasks()).toEqual({});
  });

  test("is granted with the operators' token, and where ANONYMOUS_MAY names it", async () => {
    await using app = open();
    expect(await askFor(app, permission, operator)).toEqual([taken, taken]);
    await using lenient = open({ anonymousMay: `${permission},workflow-names`, token: null });
    expect(await askFor(lenient, permission)).toEqual([taken, taken]);
    const [other = "urgent"] = Object.keys(requests).filter(
      (one) => one !== permission,
    ) as Requested[];
    expect(await askFor(lenient, other)).toEqual([refused, refused]);
  });
});

/** Wishes that are asked for by tests of their own. */
const others = ["workflow-names", "read-by-key"];

test("every permission that ANONYMOUS_MAY can name is asked for here", () => {
  expect([...Object.keys(requests), ...others].toSorted()).toEqual(
    Object.keys(anonymousPermissions).toSorted(),
  );
});

describe("a task by its business key", () => {
  const byKey = (app: App, headers = {}, key = "order-1042") =>
    app.inject({ url: `/v1/tasks/by-key?workflow=trip&key=${key}`, headers });

  test("is refused to strangers alike, whether there is one or not, and shown to operators", async () => {
    await using app = open();
    const id = idOf(await trips.submit({ key: "order-1042" }));
    const answers = [await byKey(app), await byKey(app, {}, "order-1043")];
    for (const answer of answers) {
      expect(answer.json()).toMatchObject({ status: 403, code: "access.denied" });
      expect(JSON.stringify([answer.headers, answer.body])).not.toContain(id);
    }
    const [there, nowhere] = answers.map(({ body }) => body.replace(/"requestId":"[^"]*"/, ""));
    expect(there).toBe(nowhere);
    expect((await byKey(app, operator)).json()).toMatchObject({ id, key: "order-1042" });
  });

  test("is shown to strangers where ANONYMOUS_MAY names that, without an operator's words", async () => {
    await using app = open({ anonymousMay: "read-by-key" });
    const id = idOf(await trips.submit({ key: "order-1042" }));
    await trips.post(`/v1/tasks/${id}/pause`, words, { ...operator, "if-match": "*" });
    const shownTask = await byKey(app);
    expect(shownTask.json()).toMatchObject({ id, key: "order-1042" });
    expect(shownTask.body).not.toMatch(/Grace|mule/);
    expect((await byKey(app, {}, "order-1043")).json()).toMatchObject({
      status: 404,
      code: "task.unknown",
    });
  });

  test("is for operators where READ_TASKS says so, whatever ANONYMOUS_MAY names", async () => {
    await using app = open({ anonymousMay: "read-by-key", readTasks: "operators" });
    const id = idOf(await trips.submit({ key: "order-1042" }));
    expect((await byKey(app)).statusCode).toBe(401);
    expect((await byKey(app, operator)).json()).toMatchObject({ id });
  });
});

test.each([
  [{ priority: "normal" }],
  [{ priority: "batch" }],
  [{ fairness: { key: "a" } }],
  [{ fairness: { key: "a", weight: 1 } }],
  [{ notBefore: inDays(29) }],
  [{ key: "k", labels: { a: "b" }, correlationId: "c" }],
])("strangers may still submit %j", async (body) => {
  await using app = open();
  const payload = { workflow: "trip", input, ...body };
  const answer = await app.inject({
    method: "POST",
    url: "/v1/tasks?allowUnknownAgents=false",
    payload,
  });
  expect(answer.statusCode).toBe(202);
});

test("strangers do not learn which workflows there are, operators do", async () => {
  await using app = open();
  const submit = async (headers: Readonly<Record<string, string>>) => {
    const payload = { workflow: "trap", input };
    const answer = await app.inject({ method: "POST", url: "/v1/tasks", headers, payload });
    return answer.json<{ code: string; detail: string }>();
  };
  expect(await submit({})).toMatchObject({
    code: "workflow.unknown",
    detail: "There is no workflow trap.",
  });
  expect((await submit(operator)).detail).toContain("trip");
});
