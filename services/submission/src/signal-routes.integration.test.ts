import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type OperatedService, openOperated, type Shown, token } from "../test/operated.ts";
import { paying } from "../test/paying.ts";
import { serve } from "../test/serve.ts";

/** A later version, whose signals carry something else. */
const payingMore = {
  ...paying,
  name: "paying.v2",
  signals: { paid: { type: "object", properties: { receipt: { type: "string" } } } },
  output: null,
};

const payload = { paymentId: "P-1", amount: 240 };
const operator = { authorization: `Bearer ${token}` };

let operated: OperatedService;
let keys = 0;

beforeAll(async () => {
  operated = await openOperated();
  await operated.store.registerWorkflow(paying);
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});
beforeEach(() => operated.forgetHints());

const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  operated.app.inject({ method: "POST", url, headers, payload: body });

async function order(more: object = {}): Promise<string> {
  const response = await post("/v1/tasks", { workflow: "paying", input: { order: "7" }, ...more });
  expect(response.statusCode).toBe(202);
  return response.json<{ id: string }>().id;
}

const send = (task: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  post(`/v1/tasks/${task}/signals/paid`, body, headers);

const list = async (task: string) =>
  (await operated.app.inject({ url: `/v1/tasks/${task}/signals`, headers: operator })).json<{
    items: readonly object[];
  }>().items;

const fire = () => operated.scheduler.fireWaits({ actor: "s-1", most: 100, expected: null });

/** A business key that no other test has. */
const newKey = () => `key-${(keys += 1)}`;

describe("a signal", () => {
  test("is taken by the step that waits for it, and Schedulers get a hint", async () => {
    const task = await order();
    expect(await operated.show(task)).toMatchObject({
      steps: [
        {
          name: "payment",
          awaiting: { until: expect.any(String), signal: "paid", audience: null },
        },
      ],
    });
    operated.forgetHints();
    const response = await send(task, { payload }, { "idempotency-key": "evt-1" });
    expect(response.statusCode).toBe(202);
    const at = expect.any(String);
    expect(response.json()).toEqual({
      id: "evt-1",
      name: "paid",
      taskId: task,
      at,
      replayed: false,
    });
    expect(operated.hints).toBe(1);
    await fire();
    expect(await operated.show(task)).toMatchObject({
      state: "processed",
      result: "P-1",
      steps: [{ awaiting: null, output: { fired: "signal", payload } }],
    });
    const common = { name: "paid", id: "evt-1", payload, isLate: false };
    expect(await list(task)).toMatchObject([{ ...common, takenBy: "payment" }]);
  });

  test("that is sent again is answered as the first time, and is one signal", async () => {
    const task = await order();
    const headers = { "idempotency-key": "evt-1" };
    const first = await send(task, { payload }, headers);
    operated.forgetHints();
    const again = await send(task, { payload: { amount: 240, paymentId: "P-1" } }, headers);
    expect(again.statusCode).toBe(200);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.json()).toEqual({ ...first.json<object>(), replayed: true });
    expect(operated.hints).toBe(0);
    expect(await list(task)).toHaveLength(1);
  });

  test("without an id is one of its own each time", async () => {
    const task = await order();
    const ids = [await send(task, { payload }), await send(task, { payload })].map(
      (response) => response.json<{ id: string }>().id,
    );
    expect(new Set(ids).size).toBe(2);
    expect(await list(task)).toHaveLength(2);
  });

  test("with the id of another payload is refused", async () => {
    const task = await order();
    await send(task, { payload }, { "idempotency-key": "evt-1" });
    const other = { payload: { ...payload, amount: 1 } };
    const response = await send(task, other, { "idempotency-key": "evt-1" });
    expect(response.json()).toMatchObject({ status: 409, code: "signal.id_reused" });
    expect(await list(task)).toMatchObject([{ payload }]);
  });

  test("that breaks its schema is refused with a pointer into its payload", async () => {
    const task = await order();
    const response = await send(task, { payload: { amount: 0, currency: "EUR" } });
    expect(response.json()).toMatchObject({ status: 400, code: "signal.invalid" });
    expect(response.json<{ errors: object[] }>().errors).toEqual(
      expect.arrayContaining([
        { pointer: "/paymentId", detail: "is missing" },
        { pointer: "/amount", detail: expect.any(String) },
        { pointer: "/currency", detail: expect.stringContaining("unknown field") },
      ]),
    );
    expect(await list(task)).toEqual([]);
  });

  test("is held to the version of the workflow that its task has", async () => {
    const task = await order({ workflow: "paying.v1" });
    await operated.store.registerWorkflow(payingMore);
    expect((await send(task, { payload: { receipt: "R" } })).statusCode).toBe(400);
    expect((await send(task, { payload })).statusCode).toBe(202);
  });

  test("that no step waits for is refused with the names that there are", async () => {
    const task = await order();
    const response = await post(`/v1/tasks/${task}/signals/payed`, { payload });
    expect(response.json()).toMatchObject({
      status: 404,
      code: "signal.unknown",
      detail: "paying.v1 waits for no signal payed. It waits for these: paid.",
    });
    const { id } = await operated.submit();
    expect((await send(id, { payload })).json<Shown>()).toMatchObject({
      code: "signal.unknown",
      detail: expect.stringContaining("It waits for no signals."),
    });
  });

  test.each(["01980000-0000-7000-8000-000000000000", "no-id"])(
    "to %s, which is no task, is refused",
    async (id) => {
      const response = await send(id, { payload });
      expect(response.json()).toMatchObject({ status: 404, code: "task.unknown" });
    },
  );

  test("that comes too late is kept and refused, each time, and an operator is alerted once", async () => {
    const task = await order();
    const shown = await operated.show(task);
    expect((await operated.onBooking(shown, "cancel")).statusCode).toBe(200);
    operated.forgetHints();
    const headers = { "idempotency-key": "evt-1" };
    for (const _ of ["first", "again"]) {
      const response = await send(task, { payload }, headers);
      expect(response.json()).toMatchObject({ status: 409, code: "signal.too_late" });
    }
    expect(await list(task)).toMatchObject([{ id: "evt-1", takenBy: null, isLate: true }]);
    const alerts = await queryOnce(
      operated.url,
      `select code from state.alerts where task_id = '${task}'`,
    );
    expect(alerts).toEqual([{ code: "signal.too_late" }]);
    expect(operated.hints).toBe(0);
  });

  test("beyond a hundred that no step has taken is refused for a while", async () => {
    const task = await order();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(task, { payload })));
    expect(answers.every(({ statusCode }) => statusCode === 202)).toBe(true);
    const response = await send(task, { payload });
    expect(response.json()).toMatchObject({
      status: 429,
      code: "signal.too_many",
      retryable: true,
    });
    expect(response.headers["retry-after"]).toBe("60");
  });
});

describe("a payload", () => {
  const raw = async (body: string) => {
    const response = await operated.app.inject({
      method: "POST",
      url: `/v1/tasks/${await order()}/signals/paid`,
      headers: { "content-type": "application/json" },
      payload: body,
    });
    return response.json<object>();
  };
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  test.each<[string, string, number, string]>([
    ["of more than 64 KiB", `"${"x".repeat(64 * 1024)}"`, 413, "request.too_large"],
    ["of more than any body", `"${"x".repeat(300 * 1024)}"`, 413, "request.too_large"],
    ["that is too deep", deep(33), 400, "signal.invalid"],
    ["with a NUL", '{"paymentId": "\\u0000", "amount": 1}', 400, "signal.invalid"],
    ["with a prototype", '{"__proto__": {"amount": 1}}', 400, "signal.invalid"],
    ["with a field twice", '{"amount": 1, "amount": 2}', 400, "signal.invalid"],
    [
      "with a number that JSON would change",
      '{"amount": 12345678901234567890}',
      400,
      "signal.invalid",
    ],
  ])("%s is refused", async (_, json, status, code) => {
    expect(await raw(`{"payload": ${json}}`)).toMatchObject({ status, code });
  });

  test("that is not there is refused, and so is what a signal has not", async () => {
    expect(await raw("{}")).toMatchObject({ status: 422, code: "request.invalid" });
    expect(await raw('{"payload": {}, "key": 1}')).toMatchObject({ status: 422 });
    expect(await raw("{")).toMatchObject({ status: 400, code: "request.not_json" });
  });
});

test("an id that headers cannot have is refused", async () => {
  const headers = { "idempotency-key": "a b" };
  expect((await send(await order(), { payload }, headers)).json()).toMatchObject({
    status: 400,
    code: "request.idempotency_key_invalid",
  });
});

describe("who sends a signal", () => {
  test("is kept by name where the operators' token is shown, and hidden from strangers", async () => {
    const task = await order();
    const named = { payload, actor: "ann" };
    await send(task, named, { ...operator, "idempotency-key": "by-hand" });
    await send(task, named, { "idempotency-key": "by-a-stranger" });
    expect(await list(task)).toMatchObject([
      { id: "by-hand", sentBy: "operator:ann" },
      { id: "by-a-stranger", sentBy: "submission-1" },
    ]);
    const shown = await operated.app.inject({ url: `/v1/tasks/${task}/signals` });
    expect(shown.json()).toMatchObject({ items: [{ sentBy: "operator" }, {}], next: null });
  });

  test("must be an operator where no tasks are taken", async () => {
    await using app = serve(operated.store, { token, takesTasks: false });
    const url = `/v1/tasks/${await order()}/signals/paid`;
    const asked = { method: "POST", url, payload: { payload } } as const;
    expect((await app.inject(asked)).json()).toMatchObject({
      status: 401,
      code: "auth.token_missing",
    });
    expect((await app.inject({ ...asked, headers: operator })).statusCode).toBe(202);
  });

  test("need not be an operator, who alone sees signals where operators alone see tasks", async () => {
    await using app = serve(operated.store, { token, readTasks: "operators" });
    const url = `/v1/tasks/${await order()}/signals`;
    const sent = await app.inject({ method: "POST", url: `${url}/paid`, payload: { payload } });
    expect(sent.statusCode).toBe(202);
    expect((await app.inject({ url })).statusCode).toBe(401);
    expect((await app.inject({ url, headers: operator })).statusCode).toBe(200);
  });
});

describe("the signals of a task", () => {
  test("are not there for a task that is not", async () => {
    const response = await operated.app.inject({
      url: "/v1/tasks/01980000-0000-7000-8000-000000000000/signals",
    });
    expect(response.json()).toMatchObject({ status: 404, code: "task.unknown" });
  });
});

describe("a signal for a business key", () => {
  const sendByKey = (businessKey: string, more: object = {}, headers = {}) =>
    post(
      "/v1/signals/paid",
      { workflow: "paying", businessKey, payload, id: "evt-1", ...more },
      headers,
    );

  test("goes to the open task that has the key, and is answered again when it has ended", async () => {
    const key = newKey();
    const task = await order({ key, workflow: "paying.v1" });
    const first = await sendByKey(key);
    expect(first.statusCode).toBe(202);
    expect(first.json()).toMatchObject({
      id: "evt-1",
      name: "paid",
      taskId: task,
      at: expect.any(String),
      heldUntil: null,
      replayed: false,
    });
    await fire();
    expect((await operated.show(task)).state).toBe("processed");
    for (const more of [{}, { holdFor: "1d" }]) {
      const again = await sendByKey(key, more);
      expect(again.statusCode).toBe(200);
      expect(again.json()).toEqual({ ...first.json<object>(), replayed: true });
    }
  });

  test("that has no task is refused, unless it is to be held", async () => {
    const key = newKey();
    expect((await sendByKey(key)).json()).toMatchObject({ status: 404, code: "task.unknown" });
    const held = await sendByKey(key, { workflow: "paying.v1", holdFor: "7d" });
    expect(held.statusCode).toBe(202);
    const heldUntil = expect.any(String);
    const none = { taskId: null, at: null };
    expect(held.json()).toMatchObject({ ...none, heldUntil, replayed: false });
    const again = await sendByKey(key, { workflow: "paying.v1", holdFor: "7d" });
    expect(again.statusCode).toBe(200);
    expect(again.json()).toMatchObject({ ...none, replayed: true });
    const other = { workflow: "paying.v1", holdFor: "7d", payload: { ...payload, amount: 1 } };
    expect((await sendByKey(key, other)).json()).toMatchObject({
      status: 409,
      code: "signal.id_reused",
    });
  });

  test("that is not to be held is too late for the last task of the key", async () => {
    const key = newKey();
    const task = await order({ key, workflow: "paying.v1" });
    await operated.onBooking(await operated.show(task), "cancel");
    expect((await sendByKey(key)).json()).toMatchObject({ code: "signal.too_late" });
    const held = await sendByKey(key, { id: "next", workflow: "paying.v1", holdFor: "7d" });
    expect(held.json()).toMatchObject({ taskId: null, replayed: false });
  });

  test("that was held is taken by the task that is submitted with the key", async () => {
    const key = newKey();
    await sendByKey(key, { workflow: "paying.v1", holdFor: "7d" });
    const task = await order({ key, workflow: "paying.v1" });
    await fire();
    expect(await operated.show(task)).toMatchObject({ state: "processed", result: "P-1" });
    const again = await sendByKey(key, { workflow: "paying.v1", holdFor: "7d" });
    expect(again.json()).toMatchObject({ taskId: task, replayed: true });
  });

  test.each<[string, object, number, string]>([
    ["a payload that breaks its schema", { payload: {} }, 400, "signal.invalid"],
    ["a workflow that there is not", { workflow: "paid" }, 404, "workflow.unknown"],
    ["a workflow that does not wait for it", { workflow: "halting" }, 404, "signal.unknown"],
    ["a hold of 31 days", { holdFor: "31d" }, 422, "request.invalid"],
    ["a hold of no time", { holdFor: "0s" }, 422, "request.invalid"],
    ["a hold that is no time", { holdFor: "long" }, 422, "request.invalid"],
    ["no id", { id: undefined }, 422, "request.invalid"],
    ["an id with a space", { id: "a b" }, 400, "request.idempotency_key_invalid"],
  ])("is refused for %s", async (_, more, status, code) => {
    const asked = { workflow: "paying.v1", holdFor: "1d", ...more };
    expect((await sendByKey(newKey(), asked)).json()).toMatchObject({ status, code });
  });

  test("needs the operators' token where strangers may not read by key", async () => {
    await using app = serve(operated.store, { token, anonymousMay: "none" });
    const key = newKey();
    const body = { workflow: "paying.v1", businessKey: key, payload, id: "evt-1", holdFor: "1d" };
    const asked = { method: "POST", url: "/v1/signals/paid", payload: body } as const;
    expect((await app.inject(asked)).json()).toMatchObject({ status: 403, code: "access.denied" });
    expect((await app.inject({ ...asked, headers: operator })).statusCode).toBe(202);
  });
});
