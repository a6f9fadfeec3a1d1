import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { halted } from "../../test/halted-bookings.ts";
import { asOperator, type OperatedService, openOperated, token } from "../../test/operated.ts";

let operated: OperatedService;
beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

const path = "/v1/bulk-operations";
const headers = { authorization: `Bearer ${token}` };
const get = async (url: string) => (await operated.app.inject({ url, headers })).json();
const asked = (changes: object = {}) => ({
  ...asOperator,
  action: "resubmit",
  filter: { state: "halted" },
  ...changes,
});
const create = (changes: object = {}, more: Readonly<Record<string, string>> = {}) =>
  operated.app.inject({
    method: "POST",
    url: path,
    headers: { ...headers, ...more },
    payload: asked(changes),
  });
const stop = (id: string) => operated.act(`${path}/${id}/stop`, asOperator);

test("an operation goes from its forecast over its creation to its items, and can be stopped once", async () => {
  const bookings = [await halted(operated), await halted(operated)];
  const ids = bookings.map(({ id }) => id);
  const forecast = await create({ dryRun: true });
  expect(forecast.statusCode).toBe(200);
  expect(forecast.json()).toEqual({ matches: 2, allowed: 2, refused: [], sample: ids });

  const created = await create({ canary: 1, rate: 2.5 });
  expect(created.statusCode).toBe(202);
  const { id } = created.json<{ id: string }>();
  expect(created.headers["location"]).toBe(`${path}/${id}`);
  const shown = {
    id,
    action: "resubmit",
    step: null,
    patch: null,
    filter: { state: "halted" },
    ...asOperator,
    actor: `operator:${asOperator.actor}`,
    at: expect.any(String),
    state: "canary",
    matched: 2,
    waiting: 2,
    done: 0,
    refused: 0,
    verified: { succeeded: 0, failedAgain: 0, running: 0 },
    canary: 1,
    rate: 2.5,
    stoppedBy: null,
    stopReason: null,
    endedAt: null,
  };
  expect(created.json()).toEqual(shown);
  await operated.store.applyBulkItems({ id, after: 0, batch: 50 });
  expect(await get(`${path}/${id}`)).toEqual({
    ...shown,
    waiting: 1,
    done: 1,
    verified: { ...shown.verified, running: 1 },
  });
  const page = await get(`${path}/${id}/items?limit=1`);
  expect(page.items).toMatchObject([
    { taskId: ids[0], outcome: "applied", code: null, step: "reserve" },
  ]);
  const rest = await get(`${path}/${id}/items?limit=1&after=${page.next}`);
  expect(rest.items).toMatchObject([{ taskId: ids[1], outcome: "waiting" }]);
  expect((await get(`${path}/${id}/items?outcome=waiting`)).items).toHaveLength(1);

  const stopped = await stop(id);
  expect(stopped.json()).toMatchObject({
    state: "stopped",
    stoppedBy: "operator:ann",
    stopReason: asOperator.reason,
  });
  const again = await stop(id);
  expect([again.statusCode, again.json().code]).toEqual([409, "bulk.has_ended"]);
  expect((await get(path)).items).toMatchObject([{ id, state: "stopped" }]);
});

test("the same Idempotency-Key stands for the same operation, and is refused for another one", async () => {
  const key = { "idempotency-key": "once" };
  const first = await create({}, key);
  const second = await create({}, key);
  expect(second.json()).toMatchObject({ id: first.json().id });
  expect(second.headers["idempotency-replayed"]).toBe("true");
  const other = await create({ rate: 1 }, key);
  expect([other.statusCode, other.json().code]).toEqual([422, "request.idempotency_key_reused"]);
  const hostile = await create({}, { "idempotency-key": "x".repeat(300) });
  expect([hostile.statusCode, hostile.json().code]).toEqual([
    400,
    "request.idempotency_key_invalid",
  ]);
  await stop(first.json().id);
});

test.each<[string, object, string]>([
  ["a rate of 0", { rate: 0 }, "/rate"],
  ["a negative rate", { rate: -1 }, "/rate"],
  ["a rate without bounds", { rate: 1e300 }, "/rate"],
  ["a negative canary", { canary: -1 }, "/canary"],
  ["a canary of one and a half", { canary: 1.5 }, "/canary"],
  ["an unknown action", { action: "drop" }, "/action"],
  ["a NUL in the reason", { reason: "\u0000" }, "/reason"],
  ["a NUL in the step", { step: "a\u0000" }, "/step"],
  ["half a character in the actor", { actor: "\ud800" }, "/actor"],
  ["an actor of 10 kB", { actor: "a".repeat(10_240) }, "/actor"],
  ["a step for an action on the whole task", { action: "cancel", step: "reserve" }, "/step"],
  ["an output that nothing resolves", { output: {} }, "/output"],
  [
    "a patch of what is not resubmitted",
    { action: "cancel", patch: [{ op: "remove", path: "/a" }] },
    "/patch",
  ],
  [
    "a patch of an unknown operation",
    { patch: [{ op: "move", path: "/a", from: "/b" }] },
    "/patch/0",
  ],
  ["a patch with a place that is no pointer", { patch: [{ op: "remove", path: "a" }] }, "/patch/0"],
  ["a patch of nothing", { patch: [] }, "/patch"],
  ["a field that is none", { force: true }, ""],
  ["no filter", { filter: undefined }, ""],
  [
    "an instant that is none",
    { filter: { createdAt: { $gte: "soon" } } },
    "/filter/createdAt/$gte",
  ],
])("a bulk operation with %s is refused, and says where", async (_, changes, pointer) => {
  const response = await create(changes);
  expect(response.statusCode).toBe(422);
  const { code, errors } = response.json<{ code: string; errors: { pointer: string }[] }>();
  expect([code, errors[0]?.pointer]).toEqual(["request.invalid", pointer]);
});

test("a filter without a condition is refused, also for a forecast, because it matches every task", async () => {
  for (const changes of [
    { filter: {} },
    { filter: {}, dryRun: true },
    { filter: { createdAt: {} } },
  ]) {
    const response = await create(changes);
    expect([response.statusCode, response.json().code]).toEqual([422, "bulk.filter_missing"]);
  }
});

test("of a thousand operations at once so many are created as may be open, and the others are refused", async () => {
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => create({ filter: { state: "open" } })),
  );
  const codes = new Set(answers.map((one) => `${one.statusCode} ${one.json().code ?? "created"}`));
  expect(
    [...codes].every((code) =>
      /^(202 created|429 bulk\.too_many_open|503 request\.overload)$/.test(code),
    ),
  ).toBe(true);
  const open = async () =>
    (await get(`${path}?limit=100`)).items.filter(
      ({ endedAt }: { endedAt: string | null }) => endedAt === null,
    );
  expect((await open()).length).toBeLessThanOrEqual(20);
  while ((await create({ filter: { state: "open" } })).statusCode === 202);
  expect(await open()).toHaveLength(20);
  const refused = await create({ filter: { state: "open" } });
  expect([refused.statusCode, refused.json().code, refused.headers["retry-after"]]).toEqual([
    429,
    "bulk.too_many_open",
    "60",
  ]);
  for (const { id } of await open()) await stop(id);
});

test.each([
  ["nonsense", 404, "bulk.unknown"],
  ["0198a0e4-0000-7000-8000-000000000000", 404, "bulk.unknown"],
  // No name of anything has a NUL.
  ["%00", 422, "request.invalid"],
])("a bulk operation %s that there is not is answered %i", async (id, status, code) => {
  for (const url of [`${path}/${id}`, `${path}/${id}/items`]) {
    const response = await operated.app.inject({ url, headers });
    expect([response.statusCode, response.json().code]).toEqual([status, code]);
  }
  expect((await stop(id)).statusCode).toBe(status);
});

test("bulk operations are for operators only", async () => {
  for (const method of ["GET", "POST"] as const) {
    const response = await operated.app.inject({ method, url: path });
    expect(response.statusCode).toBe(401);
  }
});
