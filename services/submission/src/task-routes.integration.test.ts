import { queryOnce } from "@holdfast/local-stack";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { serve } from "../test/serve.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const token = "the-operators-token";
const resources = new AsyncDisposableStack();
let url: string;
let store: StateStore;
let app: ReturnType<typeof serve>;
const [step] = fulfilOrder.definition.steps;
const trip = (name: string, changes: object = {}) => ({
  format: 1,
  name,
  inputSchema: {
    type: "object",
    properties: { guest: { type: "string", maxLength: 20 }, nights: { type: "integer" } },
    required: ["guest", "nights"],
  },
  steps: [{ ...step, name: "book", agent: "hotels", input: { $ref: "/input" }, after: [] }],
  completeWithin: null,
  output: null,
  ...changes,
});
beforeAll(async () => {
  const database = resources.use(await testDatabase());
  ({ url } = database);
  await migrate(url);
  const options = { url, applicationName: "test", maxConnections: 4 };
  store = resources.use(await openStateStore(options));
  app = resources.use(serve(store, { token }));
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  await queryOnce(
    url,
    "truncate state.workflows, state.collections, state.known_agents, state.tasks, state.steps, state.submissions",
  );
  for (const name of ["trip.v1", "trip.v2", "trip.v10"]) {
    await put(name, trip(name, { collection: "trips" }));
  }
  await store.registerWorkflow(fulfilOrder.definition);
});

const authorization = `Bearer ${token}`;
const get = (path: string, headers: object = { authorization }) =>
  app.inject({ url: path, headers: { ...headers } });
const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
  app.inject({ method: "POST", url: path, headers, payload });
async function put(
  name: string,
  payload: object,
  headers: Record<string, string> = { authorization },
) {
  return app.inject({ method: "PUT", url: `/v1/workflows/${name}`, headers, payload });
}
/** The heartbeat of an Agent of an older release: it does not name its operations. */
const hotels = {
  agent: "hotels",
  instance: "i-1",
  capacity: 10,
  inFlight: 0,
  breaker: "closed",
  openForMs: 0,
} as const;
const wish = { actor: "ann", reason: "a newer one is better" };
const ask = (path: string) => post(path, wish, { authorization });

const input = { guest: "Ada", nights: 2 };
const submit = async (body: object = {}, headers: Record<string, string> = {}) =>
  post("/v1/tasks", { workflow: "trip", input, ...body }, headers);
const idOf = (response: Awaited<ReturnType<typeof submit>>) => response.json<{ id: string }>().id;

describe("a task", () => {
  test("of a workflow without a version gets the newest one, and is shown with its input", async () => {
    const fairness = { key: "Ada", weight: 3 };
    const urgency = { priority: "urgent", fairness };
    const response = await submit({ ...urgency, correlationId: "c-1", replyTo: "status.me" });
    expect(response.statusCode).toBe(202);
    const id = idOf(response);
    expect(response.headers["location"]).toBe(`/v1/tasks/${id}`);
    expect((await get(`/v1/tasks/${id}`, {})).json()).toMatchObject({
      id,
      workflow: "trip.v10",
      state: "pending",
      priority: "urgent",
      fairness,
      input,
    });
    const history = await get(`/v1/tasks/${id}/history`, {});
    expect(history.json().items).toMatchObject([{ action: "submit" }]);
  });

  test("is created once for its key, and the key is refused for another workflow", async () => {
    const key = { "idempotency-key": "k" };
    const first = await submit({}, key);
    const again = await submit({ input: { nights: 2, guest: "Ada" } }, key);
    expect(again.json()).toEqual(first.json());
    expect(again.headers["idempotency-replayed"]).toBe("true");
    const other = { workflow: "fulfil-order", input: sampleOrder({ kind: "good" }) };
    expect((await submit(other, key)).json()).toMatchObject({
      status: 422,
      code: "request.idempotency_key_reused",
    });
  });

  test("that breaks its schema is refused with a pointer to every mistake", async () => {
    const response = await submit({ input: { guest: "x".repeat(30), night: 1 } });
    expect(response.json()).toMatchObject({ status: 422, code: "task.invalid" });
    expect(response.json<{ errors: { pointer: string }[] }>().errors).toEqual(
      expect.arrayContaining([
        { pointer: "/night", detail: expect.stringContaining("unknown field") },
        { pointer: "/nights", detail: "is missing" },
        { pointer: "/guest", detail: expect.any(String) },
      ]),
    );
  });

  test.each<[string, object, number, string]>([
    ["an unknown workflow", { workflow: "trap" }, 404, "workflow.unknown"],
    ["an unknown version", { workflow: "trip.v3" }, 404, "workflow.unknown"],
    ["a priority that there is not", { priority: "high" }, 422, "request.invalid"],
    ["a priority that is a number", { priority: 1 }, 422, "request.invalid"],
    ["no fairness key", { fairness: { weight: 2 } }, 422, "request.fairness_invalid"],
    ["an empty fairness key", { fairness: { key: "" } }, 422, "request.invalid"],
    ["a long fairness key", { fairness: { key: "x".repeat(101) } }, 422, "request.invalid"],
    ["NUL in its fairness key", { fairness: { key: "a\u0000" } }, 422, "request.invalid"],
    ["half a character", { fairness: { key: "a\ud800" } }, 422, "request.invalid"],
    ["a weight of 0", { fairness: { key: "a", weight: 0 } }, 422, "request.invalid"],
    ["a weight too large", { fairness: { key: "a", weight: 1_001 } }, 422, "request.invalid"],
    ["half a weight", { fairness: { key: "a", weight: 1.5 } }, 422, "request.invalid"],
    ["an unknown field", { order: {} }, 422, "request.invalid"],
    ["no input", { input: undefined }, 422, "request.invalid"],
    ["a queue of ours", { replyTo: "agent.hotels" }, 400, "request.reply_to_invalid"],
  ])("is refused for %s", async (_, body, status, code) => {
    expect((await submit(body)).json()).toMatchObject({ status, code });
  });

  test("is told which priorities there are", async () => {
    expect((await submit({ priority: "high" })).json().errors).toEqual([
      { pointer: "/priority", detail: expect.stringContaining("urgent, normal, batch") },
    ]);
  });

  test("gets the fairness key and weight that its workflow finds in its input", async () => {
    const fairness = { key: "/input/guest", weight: "/input/nights" };
    await put("trip.v11", trip("trip.v11", { fairness }));
    const shown = async (response: Awaited<ReturnType<typeof submit>>) =>
      (await get(`/v1/tasks/${idOf(response)}`)).json().fairness;
    expect(await shown(await submit())).toEqual({ key: "Ada", weight: 2 });
    const given = { key: "gold", weight: 9 };
    expect(await shown(await submit({ fairness: given }))).toEqual(given);
    expect(await shown(await submit({ fairness: { key: "gold" } }))).toEqual({
      ...given,
      weight: 2,
    });
    expect((await submit({ input: { ...input, nights: 0 } })).json()).toMatchObject({
      status: 422,
      code: "request.fairness_invalid",
      detail: "The fairness weight at /input/nights must be a whole number from 1 to 1000.",
    });
    expect((await submit({ input: { ...input, guest: "" } })).json().detail).toContain(
      "The fairness key at /input/guest must be 1 to 100 characters",
    );
  });

  test.each([
    ["no place in the input", { key: "/steps/book" }],
    ["a place that the input does not have", { key: "/input/name" }],
    ["a weight that is a text", { key: "/input/guest", weight: "/input/guest" }],
    ["no key", { weight: "/input/nights" }],
  ])("cannot be of a workflow that finds its fairness at %s", async (_, fairness) => {
    const response = await put("trip.v12", trip("trip.v12", { fairness }));
    expect(response.json()).toMatchObject({ status: 422, code: "workflow.invalid" });
  });

  test("of a collection says its urgency in headers", async () => {
    const headers = { "task-priority": "batch", "fairness-key": "Ada", "fairness-weight": "7" };
    const response = await post("/v1/trips", input, headers);
    expect((await get(`/v1/trips/${idOf(response)}`)).json()).toMatchObject({
      priority: "batch",
      fairness: { key: "Ada", weight: 7 },
    });
    // A browser's own, of RFC 9218.
    expect((await post("/v1/trips", input, { priority: "u=1, i" })).statusCode).toBe(202);
  });

  test.each([
    ["task-priority", "high", "request.priority_invalid", "urgent, normal or batch"],
    ["task-priority", "", "request.priority_invalid", "urgent, normal or batch"],
    ["fairness-key", "x".repeat(101), "request.fairness_invalid", "1 to 100 characters"],
    ["fairness-weight", "0", "request.fairness_invalid", "1 to 1000"],
    ["fairness-weight", "1e1", "request.fairness_invalid", "1 to 1000"],
    ["fairness-weight", "-1", "request.fairness_invalid", "1 to 1000"],
  ])("of a collection is refused for the header %s: %s", async (name, value, code, allowed) => {
    const headers = { "fairness-key": "Ada", [name]: value };
    const problem = (await post("/v1/trips", input, headers)).json();
    expect(problem).toMatchObject({ status: 422, code, detail: expect.stringContaining(allowed) });
  });

  test("of an unknown workflow is refused with similar names", async () => {
    expect((await submit({ workflow: "trap" })).json().detail).toContain("trip");
  });

  test("is changed by operators under the noun of its workflow only", async () => {
    const id = idOf(await submit());
    const paused = await post(`/v1/tasks/${id}/pause`, { ...wish, version: 1 }, { authorization });
    expect(paused.json()).toMatchObject({ paused: { by: "ann" } });
    const again = await post(`/v1/trips/${id}/pause`, { ...wish, version: 1 }, { authorization });
    expect(again.json()).toMatchObject({ status: 409, code: "trip.changed" });
    expect((await get(`/v1/orders/${id}`)).json()).toMatchObject({ code: "order.unknown" });
    expect((await get(`/v1/trips/${id}`)).json()).toMatchObject({ id, trip: input });
  });
});

describe("an Agent without any heartbeat", () => {
  const known = (agent: string, ago: string) =>
    queryOnce(
      url,
      `insert into state.known_agents values ('${agent}', now() - interval '${ago}')
           on conflict (agent) do update set first_seen = excluded.first_seen`,
    );

  /** What a process that has just started knows. */
  const submitAnew = async (path: string) => {
    await using other = serve(store, { token, directory: workflowDirectory(store) });
    return await other.inject({
      method: "POST",
      url: path,
      payload: { workflow: "trip", input },
    });
  };

  test("is accepted while the system starts, and refused a minute later", async () => {
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
    await known("inventory", "10 seconds");
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
    await known("inventory", "2 minutes");
    expect((await submitAnew("/v1/tasks")).json()).toMatchObject({
      status: 409,
      code: "workflow.agents_unknown",
      detail: expect.stringContaining("No Agent hotels has ever announced itself"),
    });
    expect((await submitAnew("/v1/tasks?allowUnknownAgents=true")).statusCode).toBe(202);
    await known("hotels", "1 second");
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
  });
});

describe("a list of tasks", () => {
  interface Page {
    readonly items: readonly { readonly id: string; readonly state: string }[];
    readonly next: string | null;
  }
  const list = async (query: string) => (await get(`/v1/tasks${query}`)).json<Page>();

  test("returns each task once, page by page, newest first", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.unshift(idOf(await submit()));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(seen).toEqual(ids);
  });

  test("returns the tasks that match its filters", async () => {
    const trips = idOf(await submit({ correlationId: "c-9" }));
    const order = idOf(await post("/v1/orders", sampleOrder({ kind: "good" })));
    const found = async (query: string) => (await list(query)).items.map(({ id }) => id);
    expect(await found("?workflow=trip")).toEqual([trips]);
    expect(await found("?workflow=trip.v1")).toEqual([]);
    expect(await found("?workflow=fulfil-order&state=pending")).toEqual([order]);
    expect(await found("?state=error")).toEqual([]);
    expect(await found("?correlationId=c-9")).toEqual([trips]);
    expect(await found("?faultCode=payments.declined")).toEqual([]);
    expect(await found("?createdBefore=2020-01-01T00:00:00Z")).toEqual([]);
    expect(await found("?createdFrom=2020-01-01T00:00:00Z")).toEqual([order, trips]);
    const page = (await get("/v1/orders")).json<Page>();
    expect(page.items.map(({ id }) => id)).toEqual([order]);
  });

  test.each(["?limit=0", "?limit=101", "?cursor=x", "?state=lost", "?createdFrom=now", "?x=1"])(
    "is refused for %s",
    async (query) => {
      expect((await get(`/v1/tasks${query}`)).statusCode).toBe(422);
    },
  );

  test("is open to operators only", async () => {
    for (const path of ["/v1/tasks", "/v1/orders", "/v1/workflows", "/v1/workflows/trip"]) {
      expect((await get(path, {})).statusCode).toBe(401);
    }
  });
});

describe("a workflow", () => {
  test("is stored once, and again only with the same content", async () => {
    expect((await put("visit.v1", trip("visit.v1"))).statusCode).toBe(201);
    const again = await put("visit.v1", trip("visit.v1"));
    expect(again.statusCode).toBe(200);
    expect(again.json()).toMatchObject({ warnings: [expect.stringContaining("hotels")] });
    expect((await put("visit.v1", trip("visit.v1", { output: 1 }))).json()).toMatchObject({
      status: 409,
      code: "workflow.changed",
    });
    expect((await put("visit.v1", trip("visit.v1"), {})).statusCode).toBe(401);
  });

  test("is stored with a warning for each operation that its Agent has not announced", async () => {
    const [use, undo] = [step?.operation ?? "", step?.undo?.operation ?? ""];
    const warningsWhen = async (...operations: string[]) => {
      await announce(...operations);
      const response = await put("visit.v1", trip("visit.v1"));
      expect([200, 201]).toContain(response.statusCode);
      return response.json<{ warnings: string[] }>().warnings;
    };
    const announce = (...operations: string[]) =>
      store.recordHeartbeats([{ ...hotels, operations }]);
    expect(await warningsWhen("book", undo, "reserv")).toEqual([
      `The Agent hotels has not announced the operation ${use}. It announced: reserv, ${undo}, book.`,
    ]);
    expect(await warningsWhen(use)).toEqual([
      `The Agent hotels has not announced the operation ${undo}. It announced: ${use}.`,
    ]);
    expect(await warningsWhen(use, undo)).toEqual([]);
    await store.recordHeartbeats([hotels]);
    expect((await put("visit.v1", trip("visit.v1"))).json()).toMatchObject({ warnings: [] });
  });

  test("that is invalid is refused with a pointer to each mistake", async () => {
    const wrong = trip("visit.v1", {
      inputSchema: { type: "nonsense" },
      steps: [{ ...step, input: { $ref: "/steps/none/x" }, after: [], agent: "Hotels" }],
      outputs: { "hotels.book": { type: "nonsense" } },
      extra: 1,
    });
    const response = await put("visit.v1", wrong);
    expect(response.json()).toMatchObject({ status: 422, code: "workflow.invalid" });
    const { errors } = response.json<{ errors: { pointer: string }[] }>();
    const pointers = errors.map(({ pointer }) => pointer);
    expect(pointers).toEqual(
      expect.arrayContaining([
        "/extra",
        "/steps/0/agent",
        "/steps/0",
        "/inputSchema",
        "/outputs/hotels.book",
      ]),
    );
    expect((await put("other.v1", trip("visit.v1"))).json()).toMatchObject({
      errors: [{ pointer: "/name" }],
    });
  });

  test("that is retired accepts no new tasks, its tasks go on, and retiring can be reversed", async () => {
    const before = idOf(await submit({ workflow: "trip.v10" }, { "idempotency-key": "early" }));
    expect((await ask("/v1/workflows/trip.v10/retire")).statusCode).toBe(204);
    expect((await ask("/v1/workflows/trip.v10/retire")).json()).toMatchObject({
      code: "workflow.retired_already",
    });
    expect((await submit({ workflow: "trip.v10" })).json()).toMatchObject({
      status: 410,
      code: "workflow.retired",
    });
    const replayed = await submit({ workflow: "trip.v10" }, { "idempotency-key": "early" });
    expect(replayed.json()).toEqual({ id: before });
    const newest = idOf(await submit());
    expect((await get(`/v1/tasks/${newest}`)).json()).toMatchObject({ workflow: "trip.v2" });
    expect((await get("/v1/workflows/trip.v10")).json()).toMatchObject({
      retired: { by: "ann" },
      definition: { name: "trip.v10" },
    });
    expect((await ask("/v1/workflows/trip.v10/reinstate")).statusCode).toBe(204);
    expect((await submit({ workflow: "trip.v10" })).statusCode).toBe(202);
    expect((await ask("/v1/workflows/none.v1/retire")).statusCode).toBe(404);
  });

  test("that another process retired a moment ago accepts no tasks in this process either", async () => {
    await submit();
    await store.retireWorkflow({ ...wish, name: "trip.v10" });
    const id = idOf(await submit());
    expect((await get(`/v1/tasks/${id}`)).json()).toMatchObject({ workflow: "trip.v2" });
  });

  test("has a noun of its own for its tasks, unless it is reserved or taken", async () => {
    const withNoun = (name: string, collection: string) => put(name, trip(name, { collection }));
    expect((await withNoun("visit.v1", "tasks")).json()).toMatchObject({
      status: 409,
      code: "workflow.collection_reserved",
    });
    expect((await withNoun("visit.v1", "orders")).json()).toMatchObject({
      status: 409,
      code: "workflow.collection_taken",
    });
    expect((await get("/v1/workflows/visit.v1")).statusCode).toBe(404);
    expect((await withNoun("visit.v1", "visits")).statusCode).toBe(201);
    const response = await post("/v1/visits", input);
    expect(response.headers["location"]).toMatch(/^\/v1\/visits\//);
    expect((await get(`/v1/visits/${idOf(response)}`)).json()).toMatchObject({ visit: input });
    expect((await post("/v1/nothing", input)).json()).toMatchObject({ code: "request.no_route" });
  });
});
