import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sampleBooking } from "../test/bookings.ts";
import { serve } from "../test/serve.ts";
import {
  asOperator,
  authorization,
  idOf,
  input,
  openTrips,
  type TripService,
  token,
  trip,
} from "../test/trips.ts";
import { workflowDirectory } from "./workflow-directory.ts";

let trips: TripService;

beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

describe("a task", () => {
  test("of a workflow without a version gets the active one, and is shown with its input", async () => {
    const fairness = { key: "Ada", weight: 3 };
    const response = await trips.submit({
      priority: "urgent",
      fairness,
      correlationId: "c-1",
      replyTo: "status.me",
    });
    expect(response.statusCode).toBe(202);
    const id = idOf(response);
    expect(response.headers["location"]).toBe(`/v1/tasks/${id}`);
    expect((await trips.get(`/v1/tasks/${id}`, {})).json()).toMatchObject({
      id,
      workflow: "trip.v10",
      state: "pending",
      priority: "urgent",
      fairness,
      input,
    });
    const history = await trips.get(`/v1/tasks/${id}/history`, {});
    expect(history.json().items).toMatchObject([{ action: "submit" }]);
  });

  test("is created once for its key, and the key is refused for another workflow", async () => {
    const key = { "idempotency-key": "k" };
    const first = await trips.submit({}, key);
    const again = await trips.submit({ input: { nights: 2, guest: "Ada" } }, key);
    expect(again.json()).toEqual(first.json());
    expect(again.headers["idempotency-replayed"]).toBe("true");
    const other = { workflow: "book-trip", input: sampleBooking() };
    expect((await trips.submit(other, key)).json()).toMatchObject({
      status: 422,
      code: "request.idempotency_key_reused",
    });
  });

  test.each([
    ["a day unless that is set", undefined, 24],
    ["as long as that is set", 3 * 3_600_000, 3],
  ])("holds its idempotency key for %s", async (_, keepHttpKeysFor, hours) => {
    await using app = serve(trips.store, {
      token,
      ...(keepHttpKeysFor === undefined ? {} : { keepHttpKeysFor }),
    });
    for (const [url, payload] of [
      ["/v1/tasks", { workflow: "trip", input }],
      ["/v1/trips", input],
    ] as const) {
      const headers = { "idempotency-key": `k ${url}`.replace(" ", "-") };
      expect((await app.inject({ method: "POST", url, headers, payload })).statusCode).toBe(202);
    }
    const kept = await queryOnce<{ hours: number }>(
      trips.url,
      "select extract(epoch from expires_at - now()) / 3600 as hours from state.submissions",
    );
    expect(kept.map((row) => Math.round(row.hours))).toEqual([hours, hours]);
  });

  test("that breaks its schema is refused with a pointer to every mistake", async () => {
    const response = await trips.submit({ input: { guest: "x".repeat(30), night: 1 } });
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
    ["an unknown field", { booking: {} }, 422, "request.invalid"],
    ["no input", { input: undefined }, 422, "request.invalid"],
    ["a queue of ours", { replyTo: "agent.hotels" }, 400, "request.reply_to_invalid"],
  ])("is refused for %s", async (_, body, status, code) => {
    expect((await trips.submit(body)).json()).toMatchObject({ status, code });
  });

  test("that names another priority is refused with those that there are", async () => {
    expect((await trips.submit({ priority: "high" })).json().errors).toEqual([
      { pointer: "/priority", detail: expect.stringContaining("urgent, normal, batch") },
    ]);
  });

  test("gets the fairness key and weight that its workflow finds in its input", async () => {
    const fairness = { key: "/input/guest", weight: "/input/nights" };
    await trips.put("trip.v11", trip("trip.v11", { fairness }));
    await trips.store.activateWorkflow({ name: "trip.v11", ...asOperator, asAwaited: false });
    const shown = async (response: Awaited<ReturnType<typeof trips.submit>>) =>
      (await trips.get(`/v1/tasks/${idOf(response)}`)).json().fairness;
    expect(await shown(await trips.submit())).toEqual({ key: "Ada", weight: 2 });
    const given = { key: "gold", weight: 9 };
    expect(await shown(await trips.submit({ fairness: given }))).toEqual(given);
    expect(await shown(await trips.submit({ fairness: { key: "gold" } }))).toEqual({
      ...given,
      weight: 2,
    });
    expect((await trips.submit({ input: { ...input, nights: 0 } })).json()).toMatchObject({
      status: 422,
      code: "request.fairness_invalid",
      detail: "The fairness weight at /input/nights must be a whole number from 1 to 1000.",
    });
    expect((await trips.submit({ input: { ...input, guest: "" } })).json().detail).toContain(
      "The fairness key at /input/guest must be 1 to 100 characters",
    );
  });

  test.each([
    ["no place in the input", { key: "/steps/book" }],
    ["a place that the input does not have", { key: "/input/name" }],
    ["a weight that is a text", { key: "/input/guest", weight: "/input/guest" }],
    ["no key", { weight: "/input/nights" }],
  ])("cannot be of a workflow that finds its fairness at %s", async (_, fairness) => {
    const response = await trips.put("trip.v12", trip("trip.v12", { fairness }));
    expect(response.json()).toMatchObject({ status: 422, code: "workflow.invalid" });
  });

  test("of a collection says its urgency in headers", async () => {
    const headers = { "task-priority": "batch", "fairness-key": "Ada", "fairness-weight": "7" };
    const response = await trips.post("/v1/trips", input, headers);
    expect((await trips.get(`/v1/tasks/${idOf(response)}`)).json()).toMatchObject({
      priority: "batch",
      fairness: { key: "Ada", weight: 7 },
    });
    // A browser's own, of RFC 9218.
    expect((await trips.post("/v1/trips", input, { priority: "u=1, i" })).statusCode).toBe(202);
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
    const problem = (await trips.post("/v1/trips", input, headers)).json();
    expect(problem).toMatchObject({ status: 422, code, detail: expect.stringContaining(allowed) });
  });

  test("of an unknown workflow is refused with similar names", async () => {
    expect((await trips.submit({ workflow: "trap" })).json().detail).toContain("trip");
  });

  test("of a collection is shown and changed by operators as every other, and not below its noun", async () => {
    const id = idOf(await trips.post("/v1/trips", input));
    const seen = { authorization, "if-match": '"1"' };
    const paused = await trips.post(`/v1/tasks/${id}/pause`, asOperator, seen);
    expect(paused.json()).toMatchObject({ paused: { by: "operator:ann" } });
    const again = await trips.post(`/v1/tasks/${id}/pause`, asOperator, seen);
    expect(again.json()).toMatchObject({ status: 412, code: "task.changed" });
    expect((await trips.get(`/v1/tasks/${id}`)).json()).toMatchObject({ id, input });
    const below = [
      trips.post(`/v1/trips/${id}/pause`, asOperator, seen),
      trips.get(`/v1/trips/${id}`),
    ];
    for (const response of await Promise.all(below)) {
      expect(response.json()).toMatchObject({ status: 404, code: "request.no_route" });
    }
  });
});

describe("an Agent without any heartbeat", () => {
  const known = (agent: string, ago: string) =>
    queryOnce(
      trips.url,
      `insert into state.known_agents values ('${agent}', now() - interval '${ago}')
           on conflict (agent) do update set first_seen = excluded.first_seen`,
    );

  /** What a process that has just started knows. */
  const submitAnew = async (path: string) => {
    await using other = serve(trips.store, { token, directory: workflowDirectory(trips.store) });
    return await other.inject({
      method: "POST",
      url: path,
      payload: { workflow: "trip", input },
    });
  };

  test("is accepted while the system starts, and refused a minute later", async () => {
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
    await known("rooms", "10 seconds");
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
    await known("rooms", "2 minutes");
    expect((await submitAnew("/v1/tasks")).json()).toMatchObject({
      status: 409,
      code: "workflow.agents_unknown",
      detail: expect.stringContaining("No Agent hotels has ever announced itself"),
    });
    expect((await submitAnew("/v1/tasks?allowUnknownAgents=true")).statusCode).toBe(202);
    await known("hotels", "1 second");
    expect((await submitAnew("/v1/tasks")).statusCode).toBe(202);
  });

  test("is not asked for if the workflow is retired: the answer is 410", async () => {
    await known("rooms", "2 minutes");
    for (const name of ["trip.v1", "trip.v2", "trip.v10"]) {
      expect((await trips.ask(`/v1/workflows/${name}/retire`)).statusCode).toBe(204);
    }
    expect((await submitAnew("/v1/tasks")).json()).toMatchObject({
      status: 410,
      code: "workflow.retired",
    });
  });
});
