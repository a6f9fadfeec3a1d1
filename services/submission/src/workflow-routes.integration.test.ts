import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { asOperator, idOf, input, openTrips, step, type TripService, trip } from "../test/trips.ts";
import { activateAwaited } from "./activate-awaited.ts";

let trips: TripService;

beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

const log = { info: () => {} };

/** The heartbeat of an Agent of an older release: it does not name its operations. */
const hotels = {
  agent: "hotels",
  instance: "i-1",
  capacity: 10,
  inFlight: 0,
  breaker: "closed",
  openForMs: 0,
} as const;

describe("a workflow", () => {
  test("is stored once, and again only with the same content", async () => {
    expect((await trips.put("visit.v1", trip("visit.v1"))).statusCode).toBe(201);
    const again = await trips.put("visit.v1", trip("visit.v1"));
    expect(again.statusCode).toBe(200);
    expect(again.json()).toMatchObject({ warnings: [expect.stringContaining("hotels")] });
    expect((await trips.put("visit.v1", trip("visit.v1", { output: 1 }))).json()).toMatchObject({
      status: 409,
      code: "workflow.changed",
    });
    expect((await trips.put("visit.v1", trip("visit.v1"), {})).statusCode).toBe(401);
  });

  test("is stored with a warning for each operation that its Agent has not announced", async () => {
    const [use, undo] = [step?.operation ?? "", step?.undo?.operation ?? ""];
    const warningsWhen = async (...operations: string[]) => {
      await announce(...operations);
      const response = await trips.put("visit.v1", trip("visit.v1"));
      expect([200, 201]).toContain(response.statusCode);
      return response.json<{ warnings: string[] }>().warnings;
    };
    const announce = (...operations: string[]) =>
      trips.store.recordHeartbeats([{ ...hotels, operations }]);
    expect(await warningsWhen("book", undo, "reserv")).toEqual([
      `The Agent hotels has not announced the operation ${use}. It announced: reserv, ${undo}, book.`,
    ]);
    expect(await warningsWhen(use)).toEqual([
      `The Agent hotels has not announced the operation ${undo}. It announced: ${use}.`,
    ]);
    expect(await warningsWhen(use, undo)).toEqual([]);
    await trips.store.recordHeartbeats([hotels]);
    expect((await trips.put("visit.v1", trip("visit.v1"))).json()).toMatchObject({ warnings: [] });
  });

  test("is stored with a warning for instances whose contract may not fit, and refused if it breaks one in use", async () => {
    const operation = step?.operation ?? "";
    const taking = (fields: readonly string[], required: readonly string[]) => ({
      inputs: {
        [`hotels.${operation}`]: {
          type: "object",
          properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
          required,
        },
      },
    });
    await trips.store.recordHeartbeats([
      {
        ...hotels,
        operations: [operation, step?.undo?.operation ?? ""],
        contracts: ["0123456789ab", ""],
      },
    ]);
    const first = await trips.put("stay.v1", trip("stay.v1", taking(["note"], [])));
    expect(first.json<{ warnings: string[] }>().warnings).toEqual([
      expect.stringMatching(
        /^i-1 of the Agent hotels: the contract of \w+ is 0123456789ab, and stay.v1 was made with [0-9a-f]{12}\./,
      ),
    ]);
    const breaks = {
      ...taking(["guests"], ["guests"]),
      steps: [{ ...step, agent: "hotels", after: [], onlyIf: null, input: { guests: "two" } }],
      output: null,
    };
    const breaking = await trips.put("stay.v2", trip("stay.v2", breaks));
    expect(breaking.json()).toMatchObject({
      status: 409,
      code: "workflow.contract_breaks",
      detail: expect.stringContaining("newly requires /guests, as stay.v1 does not give it"),
    });
    await trips.store.recordHeartbeats([hotels]);
  });

  const contract = { type: "object", properties: { note: { type: "string" } }, required: ["note"] };
  const noted = (name: string, changes: object) =>
    trip(name, {
      steps: [
        {
          ...step,
          name: "book",
          agent: "hotels",
          after: [],
          input: { note: { $ref: "/input/note" } },
        },
      ],
      inputs: { [`hotels.${step?.operation}`]: contract },
      ...changes,
    });

  test("that hands a value that may be missing to where it must be there is refused, with the remedy", async () => {
    const inputSchema = { ...contract, required: [] };
    const refused = await trips.put("must.v1", noted("must.v1", { inputSchema }));
    expect(refused.json()).toMatchObject({
      status: 422,
      code: "workflow.invalid",
      errors: [
        {
          pointer: "/steps/0/input/note",
          detail: expect.stringMatching(
            /^takes \/input\/note, which may be missing.* make it required/,
          ),
        },
      ],
    });
    expect(
      (await trips.put("must.v1", noted("must.v1", { inputSchema: contract }))).statusCode,
    ).toBe(201);
  });

  test("whose schema does not say that a value is there has submissions without it refused", async () => {
    const inputSchema = { type: "object" };
    expect((await trips.put("may.v1", noted("may.v1", { inputSchema }))).statusCode).toBe(201);
    const body = { workflow: "may.v1", input: { guest: "Ada" } };
    await trips.store.recordHeartbeats([hotels]);
    expect((await trips.submit(body)).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: "/note", detail: expect.stringContaining('step "book" needs it') }],
    });
    expect((await trips.submit({ ...body, input: { note: "hi" } })).statusCode).toBe(202);
  });

  test("is stored with a warning for each value of which only a run can show whether it is there", async () => {
    const [one] = noted("late.v1", {}).steps;
    const steps = [
      { ...one, name: "first", input: {}, operation: "look", undo: null },
      { ...one, after: ["first"], input: { note: { $ref: "/steps/first/note" } } },
    ];
    const response = await trips.put("late.v1", noted("late.v1", { steps }));
    expect(response.json<{ warnings: string[] }>().warnings).toContain(
      "Step book takes /steps/first/note at /steps/1/input/note, and neither schemas nor its condition say that it is there where the contract needs it: without it the task halts before the step.",
    );
  });

  test("that is invalid is refused with a pointer to each mistake", async () => {
    const wrong = trip("visit.v1", {
      inputSchema: { type: "nonsense" },
      steps: [{ ...step, input: { $ref: "/steps/none/x" }, after: [], agent: "Hotels" }],
      outputs: { "hotels.book": { type: "nonsense" } },
      extra: 1,
    });
    const response = await trips.put("visit.v1", wrong);
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
    expect((await trips.put("other.v1", trip("visit.v1"))).json()).toMatchObject({
      errors: [{ pointer: "/name" }],
    });
  });

  test("that is retired accepts no new tasks, its tasks go on, and retiring can be reversed", async () => {
    const before = idOf(
      await trips.submit({ workflow: "trip.v10" }, { "idempotency-key": "early" }),
    );
    expect((await trips.ask("/v1/workflows/trip.v10/retire")).statusCode).toBe(204);
    expect((await trips.ask("/v1/workflows/trip.v10/retire")).json()).toMatchObject({
      code: "workflow.already_retired",
    });
    expect((await trips.submit({ workflow: "trip.v10" })).json()).toMatchObject({
      status: 410,
      code: "workflow.retired",
    });
    const replayed = await trips.submit({ workflow: "trip.v10" }, { "idempotency-key": "early" });
    expect(replayed.json()).toEqual({ id: before });
    const newest = idOf(await trips.submit());
    expect((await trips.get(`/v1/tasks/${newest}`)).json()).toMatchObject({ workflow: "trip.v2" });
    expect((await trips.get("/v1/workflows/trip.v10")).json()).toMatchObject({
      retired: { by: "operator:ann" },
      definition: { name: "trip.v10" },
      contracts: {},
    });
    // Who stores it once more is to know that it stays retired.
    const { definition } = (await trips.get("/v1/workflows/trip.v10")).json<{
      definition: object;
    }>();
    expect((await trips.put("trip.v10", definition)).json()).toMatchObject({
      warnings: expect.arrayContaining([expect.stringContaining("is retired")]),
    });
    expect((await trips.ask("/v1/workflows/trip.v10/reinstate")).statusCode).toBe(204);
    expect((await trips.submit({ workflow: "trip.v10" })).statusCode).toBe(202);
    expect((await trips.ask("/v1/workflows/none.v1/retire")).statusCode).toBe(404);
  });

  test("that another process retired a moment ago accepts no tasks in this process either", async () => {
    await trips.submit();
    await trips.store.retireWorkflow({ ...asOperator, name: "trip.v10" });
    const id = idOf(await trips.submit());
    expect((await trips.get(`/v1/tasks/${id}`)).json()).toMatchObject({ workflow: "trip.v2" });
  });

  const needed = [step?.operation ?? "", step?.undo?.operation ?? ""];
  const announce = (...operations: readonly string[]) =>
    trips.store.recordHeartbeats([{ ...hotels, operations }]);
  const versionOfNext = async () =>
    (await trips.get(`/v1/tasks/${idOf(await trips.submit())}`)).json<{ workflow: string }>()
      .workflow;

  test("is active at once as the first version, and as a newer one once its Agents announce all that it calls", async () => {
    const first = await trips.put("visit.v1", trip("visit.v1"));
    expect(first.json()).toMatchObject({ active: "visit.v1", waitsFor: [] });
    const newer = await trips.put("trip.v11", trip("trip.v11"));
    expect(newer.json()).toMatchObject({
      active: "trip.v10",
      waitsFor: ["No Agent hotels has ever announced itself: its steps wait until one does."],
    });
    expect(await versionOfNext()).toBe("trip.v10");
    await announce(needed[0] ?? "");
    const { waitsFor, active, awaitsAgents } = (await trips.get("/v1/workflows/trip.v11")).json();
    expect({ waitsFor, active, awaitsAgents }).toEqual({
      waitsFor: [expect.stringContaining(`has not announced the operation ${needed[1]}`)],
      active: null,
      awaitsAgents: true,
    });
    await activateAwaited({ store: trips.store, directory: { reload: async () => {} }, log })();
    expect(await versionOfNext()).toBe("trip.v10");
    await announce(...needed);
    await activateAwaited({ store: trips.store, directory: { reload: async () => {} }, log })();
    expect(await versionOfNext()).toBe("trip.v11");
    expect((await trips.get("/v1/workflows/trip")).json()).toMatchObject({
      name: "trip.v11",
      storedBy: "operator:unnamed",
      active: { by: "operator:unnamed", reason: "its Agents are known" },
    });
    // Whose Agents are known already becomes active when it is stored.
    expect((await trips.put("trip.v12", trip("trip.v12"))).json()).toMatchObject({
      active: "trip.v12",
    });
  });

  test("that is only to be stored, or is stored again, becomes active when a person says so", async () => {
    await announce(...needed);
    const stored = await trips.put("trip.v11?storeOnly=true", trip("trip.v11"));
    expect(stored.json()).toMatchObject({ active: "trip.v10", waitsFor: [] });
    await trips.put("trip.v11", trip("trip.v11"));
    expect(await versionOfNext()).toBe("trip.v10");
    expect((await trips.ask("/v1/workflows/trip.v11/activate")).statusCode).toBe(204);
    expect(await versionOfNext()).toBe("trip.v11");
    expect((await trips.ask("/v1/workflows/trip.v10/activate")).statusCode).toBe(204);
    expect(await versionOfNext()).toBe("trip.v10");
    expect((await trips.put("trip.v11", trip("trip.v11"))).json()).toMatchObject({
      active: "trip.v10",
    });
  });

  test("becomes active without its Agents only if that is asked for", async () => {
    await trips.put("trip.v11", trip("trip.v11"));
    const refused = await trips.ask("/v1/workflows/trip.v11/activate");
    expect(refused.json()).toMatchObject({ status: 409, code: "workflow.agents_unknown" });
    expect(refused.json<{ detail: string }>().detail).toContain("No Agent hotels has ever");
    expect(await versionOfNext()).toBe("trip.v10");
    const forced = "/v1/workflows/trip.v11/activate?allowUnknownAgents=true";
    expect((await trips.ask(forced)).statusCode).toBe(204);
    expect(await versionOfNext()).toBe("trip.v11");
    expect((await trips.ask("/v1/workflows/none.v1/activate")).statusCode).toBe(404);
  });

  test("that another process activated a moment ago gets the tasks of this one, by its own schema", async () => {
    expect(await versionOfNext()).toBe("trip.v10");
    const activate = (name: string) =>
      trips.store.activateWorkflow({ name, ...asOperator, asAwaited: false });
    await activate("trip.v2");
    expect(await versionOfNext()).toBe("trip.v2");
    const { inputSchema } = trip("trip.v13");
    const properties = { ...inputSchema.properties, room: { type: "string" } };
    const wider = { ...inputSchema, properties, required: ["guest", "nights", "room"] };
    await trips.store.registerWorkflow(trip("trip.v13", { inputSchema: wider }) as never);
    await activate("trip.v13");
    expect((await trips.submit({ input: { ...input, room: "12" } })).statusCode).toBe(202);
    // What no version takes is refused by the one that is active.
    expect((await trips.submit()).json()).toMatchObject({ status: 422, code: "task.invalid" });
    await activate("trip.v10");
    expect((await trips.submit()).statusCode).toBe(202);
  });

  test("keeps what it has taken when the version before, which refuses it, is active again", async () => {
    const { inputSchema } = trip("trip.v13");
    const properties = { ...inputSchema.properties, room: { type: "string" } };
    const strict = { ...inputSchema, additionalProperties: false };
    await trips.store.registerWorkflow(trip("trip.v14", { inputSchema: strict }) as never);
    const wider = { ...strict, properties };
    await trips.store.registerWorkflow(trip("trip.v15", { inputSchema: wider }) as never);
    const activate = (name: string) =>
      trips.store.activateWorkflow({ name, ...asOperator, asAwaited: false });
    const submit = (room: string, key: string) =>
      trips.submit({ input: { ...input, room } }, { "idempotency-key": key });
    await activate("trip.v15");
    const first = await submit("12", "suite");
    expect(first.statusCode).toBe(202);
    await activate("trip.v14");
    expect(await versionOfNext()).toBe("trip.v14");
    const again = await submit("12", "suite");
    expect([again.statusCode, again.json()]).toEqual([202, first.json()]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    // What was not taken is refused as before, under whatever key.
    for (const refused of [submit("13", "suite"), submit("12", "another")]) {
      expect((await refused).json()).toMatchObject({ status: 422, code: "task.invalid" });
    }
  });

  const pool = { agent: "hotels", agents: ["hotels", "hotels-eu"], input: { $ref: "/input" } };
  const psp = { service: "psp" };
  const pooled = (name: string, remotes: object) =>
    trip(name, { steps: [{ ...step, ...pool }], remotes });

  test("may give a step to Agents of one remote service, and to no others", async () => {
    const apart = await trips.put("visit.v1", trip("visit.v1", { steps: [{ ...step, ...pool }] }));
    expect(apart.json()).toMatchObject({
      status: 422,
      code: "workflow.invalid",
      errors: [
        {
          pointer: "/steps/0/agents",
          detail: expect.stringMatching(
            /^agents: hotels wraps .* hotels, and hotels-eu wraps hotels-eu/,
          ),
        },
      ],
    });
    const shared = pooled("visit.v1", { hotels: psp, "hotels-eu": psp });
    expect((await trips.put("visit.v1", shared)).statusCode).toBe(201);
    const { definition } = (await trips.get("/v1/workflows/visit.v1")).json();
    expect(definition).toMatchObject({ remotes: { hotels: psp }, steps: [pool] });
  });

  test("says no other remote service of an Agent than a workflow in use", async () => {
    const first = pooled("visit.v1", { hotels: psp, "hotels-eu": psp });
    expect((await trips.put("visit.v1", first)).statusCode).toBe(201);
    const other = { service: "bank", sharesKeys: true };
    const second = pooled("visit.v2", { hotels: other, "hotels-eu": other });
    const refused = await trips.put("visit.v2", second);
    expect(refused.json()).toMatchObject({ status: 409, code: "agent.remote_changed" });
    expect(refused.json<{ detail: string }>().detail).toContain(
      "by visit.v1 the Agent hotels wraps the remote service psp, whose Agents share no keys",
    );
    expect((await trips.get("/v1/workflows/visit.v2")).statusCode).toBe(404);

    expect((await trips.ask("/v1/workflows/visit.v1/retire")).statusCode).toBe(204);
    expect((await trips.put("visit.v2", second)).statusCode).toBe(201);
    // What is retired is still stored again at each start of the service.
    expect((await trips.put("visit.v1", first)).statusCode).toBe(200);
    expect((await trips.put("visit.v2", second)).statusCode).toBe(200);
  });

  test("has a noun of its own for its tasks, unless it is reserved or taken", async () => {
    const withCollection = (name: string, collection: string) =>
      trips.put(name, trip(name, { collection }));
    expect((await withCollection("visit.v1", "tasks")).json()).toMatchObject({
      status: 409,
      code: "workflow.collection_reserved",
    });
    expect((await withCollection("visit.v1", "bookings")).json()).toMatchObject({
      status: 409,
      code: "workflow.collection_taken",
    });
    expect((await trips.get("/v1/workflows/visit.v1")).statusCode).toBe(404);
    expect((await withCollection("visit.v1", "visits")).statusCode).toBe(201);
    const response = await trips.post("/v1/visits", input);
    expect(response.headers["location"]).toBe(`/v1/tasks/${idOf(response)}`);
    expect((await trips.get(`/v1/tasks/${idOf(response)}`)).json()).toMatchObject({ input });
    expect((await trips.post("/v1/nothing", input)).json()).toMatchObject({
      code: "request.no_route",
    });
  });
});
