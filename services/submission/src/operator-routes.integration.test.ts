import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import {
  type AttemptOfTask,
  migrate,
  openStateStore,
  type StateStore,
} from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { serve } from "../test/serve.ts";

const token = "the-operators-token";
const wish = { actor: "ann", reason: "the customer called" };
const resources = new AsyncDisposableStack();
let store: StateStore;
/** Without the faults of a run that injects them: a claim whose answer is lost is not made again. */
let scheduler: StateStore;
let app: ReturnType<typeof serve>;
let hints = 0;
let cancelled: AttemptOfTask[] = [];
const hint = () => {
  hints += 1;
};

/** Stops where an operator is needed: each of its steps halts when it fails. */
const halting = {
  ...fulfilOrder.definition,
  name: "halting.v1",
  steps: fulfilOrder.definition.steps.map((step) => ({ ...step, onFailure: "halt" as const })),
};

beforeAll(async () => {
  const database = resources.use(await testDatabase());
  await migrate(database.url);
  const options = { url: database.url, applicationName: "test", maxConnections: 8 };
  store = resources.use(await openStateStore(options));
  const faults = process.env["HOLDFAST_STORE_FAULTS"] ?? "";
  process.env["HOLDFAST_STORE_FAULTS"] = "";
  scheduler = resources.use(await openStateStore(options));
  process.env["HOLDFAST_STORE_FAULTS"] = faults;
  await store.registerWorkflow(halting);
  app = resources.use(openApp(token));
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(() => {
  hints = 0;
  cancelled = [];
});

function openApp(operatorToken: string | null) {
  const cancel = (obsoleteAttempts: readonly AttemptOfTask[]) =>
    void cancelled.push(...obsoleteAttempts);
  return serve(store, { hint, cancel, token: operatorToken });
}

interface Shown {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly paused: object | null;
  readonly steps: readonly { readonly name: string; readonly processState: string }[];
}

async function submit(): Promise<Shown> {
  const response = await app.inject({
    method: "POST",
    url: "/v1/orders",
    payload: sampleOrder({ kind: "good" }),
  });
  return show(response.json<{ id: string }>().id);
}

const show = async (id: string) => (await app.inject({ url: `/v1/orders/${id}` })).json<Shown>();

const act = (path: string, payload: object, authorization = `Bearer ${token}`) =>
  app.inject({ method: "POST", url: path, headers: { authorization }, payload });

const onOrder = ({ id, version }: Shown, what: string, payload: object = {}) =>
  act(`/v1/orders/${id}/${what}`, { ...wish, version, ...payload });

const claim = () =>
  scheduler.claimDueSteps({
    lockedBy: "scheduler-1",
    capacity: ["inventory", "payments", "shipping"].map((lane) => ({ lane, slots: 100 })),
    relayAfter: 1_000,
  });

/** The first step of the order fails for good, and so the order halts. */
async function halted(): Promise<Shown> {
  const { id } = await submit();
  const claims = (await claim()).filter(({ taskId, name }) => taskId === id && name === "reserve");
  await store.applyEvents(
    claims.map(({ taskId, name: step, attempt, token: proof }) => ({
      taskId,
      event: {
        kind: "failed",
        code: "inventory.sold_out",
        transient: false,
        attempted: true,
        effect: "none",
        retryAfter: null,
        step,
        attempt,
        token: proof,
      },
    })),
    { actor: "scheduler-1" },
  );
  return show(id);
}

/** The first step of the order failed once, and is delayed. */
async function delayed(): Promise<Shown> {
  const { id } = await submit();
  const [one] = (await claim()).filter(({ taskId, name }) => taskId === id && name === "reserve");
  const event = {
    kind: "failed",
    code: "inventory.busy",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: 600_000,
    step: "reserve",
    attempt: one?.attempt ?? 0,
    token: one?.token ?? "",
  } as const;
  await store.applyEvents([{ taskId: id, event }], { actor: "scheduler-1" });
  return show(id);
}

/** An undo of the order failed for good, and so the order halts again. */
async function haltedUndo(): Promise<Shown> {
  const { id } = await submit();
  const report = async (name: string, outcome: "completed" | "failed") => {
    const [one] = (await claim()).filter((found) => found.taskId === id && found.name === name);
    const ref = { step: name, attempt: one?.attempt ?? 0, token: one?.token ?? "" };
    const failure = { code: "inventory.gone", transient: false, attempted: true } as const;
    const event =
      outcome === "completed"
        ? ({ kind: "completed", ...ref } as const)
        : ({ kind: "failed", ...failure, effect: "unknown", retryAfter: null, ...ref } as const);
    await store.applyEvents([{ taskId: id, event, output: {} }], { actor: "scheduler-1" });
  };
  await report("reserve", "completed");
  await onOrder(await show(id), "cancel");
  await report("reserve:undo", "failed");
  return show(id);
}

const stepOf = ({ steps }: Shown, name: string) => steps.find((step) => step.name === name);

describe("access to operator routes", () => {
  test.each([
    ["nobody", ""],
    ["somebody with another token", "Bearer something-else"],
    ["somebody with the token, but not as one", token],
  ])("is refused to %s", async (_, authorization) => {
    const order = await submit();
    const response = await act(
      `/v1/orders/${order.id}/undo`,
      { ...wish, version: 1 },
      authorization,
    );
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code: "operator.unknown" });
    expect(await show(order.id)).toEqual(order);
  });

  test("is refused to all if no token is set, whatever they send", async () => {
    await using closed = openApp(null);
    const response = await closed.inject({
      method: "POST",
      url: "/v1/agents/payments/pause",
      headers: { authorization: "Bearer null" },
      payload: wish,
    });
    expect(response.statusCode).toBe(403);
    expect(response.json()).toMatchObject({ code: "operator.disabled" });
  });
});

describe("an operator's request", () => {
  test.each([
    ["no reason", { actor: "ann", version: 1 }, "", /reason/],
    ["no version", wish, "", /version/],
    ["a version that is a text", { ...wish, version: "1" }, "/version", /integer/],
    ["a field that nobody knows", { ...wish, version: 1, force: true }, "", /force/],
  ])("with %s is refused", async (_, payload, pointer, detail) => {
    const { id } = await submit();
    const response = await act(`/v1/orders/${id}/pause`, payload);
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({
      code: "request.invalid",
      errors: [{ pointer, detail: expect.stringMatching(detail) }],
    });
  });

  test("about an unknown order is refused", async () => {
    const response = await act(`/v1/orders/${crypto.randomUUID()}/undo`, { ...wish, version: 1 });
    expect(response.statusCode).toBe(404);
  });

  test("that is sent twice is carried out once", async () => {
    const order = await halted();
    const clicks = await Promise.all(Array.from({ length: 20 }, () => onOrder(order, "resubmit")));
    expect(clicks.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const refused = clicks.filter(({ statusCode }) => statusCode === 409);
    expect(refused).toHaveLength(19);
    const attempts = (await claim()).filter(({ taskId }) => taskId === order.id);
    expect(attempts.filter(({ name }) => name === "reserve")).toHaveLength(1);
  });

  test("about an order that changed meanwhile is refused, and says so", async () => {
    const order = await submit();
    await onOrder(order, "pause");
    const response = await onOrder(order, "undo");
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({
      code: "order.changed",
      detail: expect.stringContaining("version 1"),
    });
  });
});

describe("an order", () => {
  test("without completed steps is cancelled at once", async () => {
    const response = await onOrder(await submit(), "cancel");
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ state: "compensated" });
    expect(cancelled).toEqual([]);
  });

  test("with steps in flight is undone after its Agents got a cancel hint", async () => {
    const order = await submit();
    const claims = (await claim()).filter(({ taskId }) => taskId === order.id);
    const response = await onOrder(await show(order.id), "cancel");
    expect(response.json()).toMatchObject({ state: "compensating" });
    expect(cancelled.map(({ token: proof }) => proof).toSorted()).toEqual(
      claims.map(({ token: proof }) => proof).toSorted(),
    );
    expect(hints).toBeGreaterThan(1);
  });

  test("that has ended does not change", async () => {
    const order = await submit();
    await onOrder(order, "undo");
    const response = await onOrder(await show(order.id), "undo");
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({ code: "order.task_finished" });
  });

  test("waits while it is paused, and shows who paused it and why", async () => {
    const paused = (await onOrder(await submit(), "pause")).json<Shown>();
    expect(paused).toMatchObject({ paused: { by: "ann", reason: wish.reason } });
    expect((await claim()).filter(({ taskId }) => taskId === paused.id)).toEqual([]);
    const again = await onOrder(paused, "pause");
    expect(again.json()).toMatchObject({ status: 409, code: "order.already_paused" });
    expect((await onOrder(paused, "resume")).json()).toMatchObject({ paused: null });
    expect((await claim()).filter(({ taskId }) => taskId === paused.id)).toHaveLength(2);
  });

  test("that halted continues with the step that failed, with its input or a corrected one", async () => {
    const order = await halted();
    const lines = [{ sku: "other", quantity: 1 }];
    const resubmitted = await onOrder(order, "resubmit", { step: "reserve", input: { lines } });
    expect(stepOf(resubmitted.json(), "reserve")).toMatchObject({ processState: "pending" });
    const values = await store.loadValues([{ taskId: order.id, name: "reserve" }]);
    expect(values.get(order.id)?.correctedInputs.get("reserve")).toEqual({ lines });
  });

  test("that halted continues with the output of a step done by hand", async () => {
    const order = await halted();
    const output = { reservationId: "r-by-hand" };
    const resolved = await onOrder(order, "resolve", { output });
    expect(stepOf(resolved.json(), "reserve")).toMatchObject({ processState: "processed", output });
    const history = await app.inject({ url: `/v1/orders/${order.id}/history` });
    expect(history.json().items).toContainEqual(
      expect.objectContaining({
        step: "reserve",
        action: "resolve",
        actor: "ann",
        note: wish.reason,
      }),
    );
  });

  test.each([
    ["no step of it has failed", {}, 409, "order.nothing_failed", submit],
    ["another one has", { step: "charge" }, 409, "order.step_not_failed", halted],
    ["what is given to it cannot be stored", { input: "\u0000" }, 422, "request.invalid", halted],
    [
      "what is given to it breaks the contract of its operation",
      { input: { lines: "two" } },
      422,
      "request.invalid",
      halted,
    ],
  ])("is not resubmitted when %s", async (_, payload, status, code, begin) => {
    const response = await onOrder(await begin(), "resubmit", payload);
    expect(response.json()).toMatchObject({ status, code });
  });
});

test.each(["agent", "workflow"])(
  "a %s is paused and resumed, with the operator and the reason",
  async (kind) => {
    const name = kind === "agent" ? "notifications" : halting.name;
    const path = `/v1/${kind}s/${name}`;
    expect((await act(`${path}/pause`, wish)).statusCode).toBe(204);
    expect((await act(`${path}/pause`, wish)).json()).toMatchObject({ code: "pause.in_force" });
    const headers = { authorization: `Bearer ${token}` };
    const { items } = (await app.inject({ url: "/v1/pauses", headers })).json();
    expect(items[0]).toMatchObject({ kind, name, ...wish, resumedAt: null });
    expect((await act(`${path}/resume`, wish)).statusCode).toBe(204);
    expect((await act(`${path}/resume`, wish)).json()).toMatchObject({
      code: "pause.not_in_force",
    });
  },
);

test.each([
  ["agent", "paymnets", "payments"],
  ["workflow", "haltign.v1", "halting.v1"],
])("a pause of the unknown %s %s is refused, with names like it", async (kind, name, like) => {
  for (const verb of ["pause", "resume"]) {
    const response = await act(`/v1/${kind}s/${name}/${verb}`, wish);
    expect(response.json()).toMatchObject({
      status: 404,
      code: `${kind}.unknown`,
      detail: expect.stringContaining(like),
    });
  }
});

describe("a text that cannot be stored is refused with 422,", () => {
  test.each([
    ["a NUL in the actor", { ...wish, actor: "a\u0000b" }, "/actor"],
    ["half a character in the actor", { ...wish, actor: "a\ud800b" }, "/actor"],
    ["a line break in the actor", { ...wish, actor: "a\nb" }, "/actor"],
    ["a NUL in the reason", { ...wish, reason: "a\u0000b" }, "/reason"],
    ["half a character in the reason", { ...wish, reason: "\udfff" }, "/reason"],
    ["a reason that is too long", { ...wish, reason: "x".repeat(1_001) }, "/reason"],
  ])("%s, on an Agent and on an order", async (_, payload, pointer) => {
    const order = await submit();
    const body = JSON.stringify(payload);
    const post = (url: string, version: string) =>
      app.inject({
        method: "POST",
        url,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        payload: body.replace("{", `{${version}`),
      });
    const onAgent = await post("/v1/agents/payments/pause", "");
    const onTask = await post(`/v1/orders/${order.id}/pause`, '"version":1,');
    for (const response of [onAgent, onTask]) {
      expect(response.json()).toMatchObject({
        status: 422,
        code: "request.invalid",
        errors: [{ pointer, detail: expect.stringMatching(/stored|characters/) }],
      });
    }
    expect(await show(order.id)).toEqual(order);
  });

  test.each(["/v1/agents/a%00b/pause", "/v1/workflows/a%00b/resume"])(
    "a NUL in %s",
    async (path) => {
      expect((await act(path, wish)).json()).toMatchObject({
        status: 422,
        code: "request.invalid",
      });
    },
  );

  test.each(["resubmit", "resolve"])("an input or output of %s", async (verb) => {
    const payload = verb === "resubmit" ? { input: "a\ud800" } : { output: { x: "a\u0000" } };
    const response = await onOrder(await halted(), verb, payload);
    expect(response.json()).toMatchObject({
      status: 422,
      detail: expect.stringContaining("NUL or half a character"),
    });
  });
});

test("a client without a token learns nothing about the body that a route expects", async () => {
  const order = await submit();
  for (const path of [`/v1/orders/${order.id}/pause`, "/v1/agents/payments/pause"]) {
    const response = await act(path, { nonsense: true }, "Bearer wrong");
    expect(response.json()).toMatchObject({ status: 401, code: "operator.unknown" });
  }
});

test("an address that guesses tokens is blocked for a while", async () => {
  await using guessed = openApp(token);
  const guess = (authorization: string) =>
    guessed.inject({
      method: "POST",
      url: "/v1/agents/payments/pause",
      headers: { authorization },
      payload: wish,
    });
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await guess(`Bearer guess-${tries}`)).statusCode).toBe(401);
  }
  const refused = await guess(`Bearer ${token}`);
  expect(refused.json()).toMatchObject({ status: 429, code: "operator.too_many_tries" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});

describe("a step that is delayed", () => {
  test("is retried at once if an operator requests it", async () => {
    const order = await delayed();
    expect((await claim()).filter(({ taskId }) => taskId === order.id)).toEqual([]);
    const response = await onOrder(order, "steps/reserve/retry");
    expect(response.statusCode).toBe(200);
    expect(hints).toBeGreaterThan(0);
    const claims = (await claim()).filter(({ taskId }) => taskId === order.id);
    expect(claims).toMatchObject([{ name: "reserve", attempt: 2 }]);
  });

  test.each([
    [
      "an order that is paused",
      async () => {
        const order = await delayed();
        return (await onOrder(order, "pause")).json<Shown>();
      },
      "reserve",
      409,
      "order.task_paused",
    ],
    ["a step that is due", submit, "reserve", 409, "order.not_delayed"],
    ["a step that has failed for good", halted, "reserve", 409, "order.not_pending"],
    ["a step that the order does not have", submit, "reserv", 404, "order.unknown_step"],
  ])("is not retried: %s", async (_, begin, step, status, code) => {
    const response = await onOrder(await begin(), `steps/${step}/retry`);
    expect(response.json()).toMatchObject({ status, code });
  });

  test("is retried only in the version that the operator has seen", async () => {
    const order = await delayed();
    const response = await onOrder({ ...order, version: 1 }, "steps/reserve/retry");
    expect(response.json()).toMatchObject({ status: 409, code: "order.changed" });
  });
});

describe("an undo that failed for good", () => {
  test("is resolved without an output, and the order keeps the code that it is undone for", async () => {
    const order = await haltedUndo();
    expect(order).toMatchObject({ state: "error", faultCode: "operator.cancel" });
    const response = await onOrder(order, "resolve");
    const resolved = response.json<Shown>();
    expect(resolved).toMatchObject({ faultCode: "operator.cancel" });
    expect(stepOf(resolved, "reserve:undo")).toMatchObject({ processState: "processed" });
  });
});

test("a step that is done by hand must have an output", async () => {
  const response = await onOrder(await halted(), "resolve");
  expect(response.json()).toMatchObject({
    status: 422,
    detail: expect.stringContaining("what step reserve returned"),
  });
});

test("all instants of an order are written in one way, and no host name is shown", async () => {
  const { id } = await submit();
  const lockedBy = "scheduler-build-host-7-4711-3fa2b1";
  const capacity = [{ lane: "inventory", slots: 100 }];
  await scheduler.claimDueSteps({ lockedBy, capacity, relayAfter: 1_000 });
  await onOrder(await show(id), "pause");
  const order = (await app.inject({ url: `/v1/orders/${id}` })).body;
  const history = (await app.inject({ url: `/v1/orders/${id}/history` })).body;
  expect(order).toContain('"completeBy":"');
  const instants = `${order}${history}`.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
  expect(instants.length).toBeGreaterThan(5);
  for (const one of instants) expect(one).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/);
  expect(`${order}${history}`).not.toContain("build-host-7");
  expect(`${order}${history}`).toMatch(/scheduler-[0-9a-f]{8}"/);
});

test("a step is not done by hand with an output that breaks the contract of its operation", async () => {
  const order = await halted();
  for (const output of [{ reservationId: 5 }, {}, null]) {
    const response = await onOrder(order, "resolve", { output });
    expect(response.json()).toMatchObject({
      status: 422,
      code: "request.invalid",
      detail: expect.stringMatching(/The output at .* rely on its contract/),
    });
  }
  expect(await show(order.id)).toEqual(order);
});
