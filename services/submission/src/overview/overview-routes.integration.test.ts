import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sampleBooking } from "../../test/bookings.ts";
import { halted } from "../../test/halted-bookings.ts";
import { asOperator, type OperatedService, openOperated, token } from "../../test/operated.ts";

let operated: OperatedService;
let haltedId: string;

const headers = { authorization: `Bearer ${token}` };
const get = (url: string) => operated.app.inject({ url, headers });
const search = (filter: object, page: object = {}) =>
  operated.app.inject({
    method: "POST",
    url: "/v1/tasks/search",
    headers,
    payload: { filter, ...page },
  });
const idsOf = (answer: { json: <T>() => T }) =>
  answer.json<{ items: readonly { id: string }[] }>().items.map(({ id }) => id);

beforeAll(async () => {
  operated = await openOperated();
  const { store } = operated;
  const me = {
    service: "scheduler",
    instance: "scheduler-1",
    version: "1.0.0",
    slots: 50,
  } as const;
  await store.recordInstance(me);
  await store.recordInstance({
    ...me,
    service: "supervisor",
    instance: "supervisor-1",
    slots: null,
  });
  haltedId = (await halted(operated)).id;
  await operated.submit();
  while ((await store.findStatisticsProgress()).isDue) await store.rollUp();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});

test("the overview says how many tasks there are in each state, what needs an operator, and which processes live", async () => {
  await operated.act("/v1/agents/payments/pause", asOperator);
  const overview = (await get("/v1/overview")).json();
  expect(overview).toMatchObject({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    states: { pending: 1, halted: 1, processed: 0, undone: 0 },
    perMinute: { submitted: expect.any(Number), ended: 0 },
    oldestDueMs: expect.any(Number),
    schedulers: [{ instance: "scheduler-1", seenAt: expect.any(String) }],
    supervisors: [{ instance: "supervisor-1" }],
  });
  expect(overview.perMinute.submitted).toBeGreaterThan(0);
  expect(overview.needsYou.map(({ kind }: { kind: string }) => kind)).toEqual(["paused", "halted"]);
  expect(overview.agents.map(({ name }: { name: string }) => name)).toContain("payments");
});

test("a thousand consoles that ask at once cost the store one look", async () => {
  const [first, ...others] = await Promise.all(
    Array.from({ length: 50 }, () => get("/v1/overview")),
  );
  expect(first?.statusCode).toBe(200);
  expect(new Set(others.map(({ body }) => body))).toEqual(new Set([first?.body]));
});

test("statistics have every bucket of the range, whether something happened or not", async () => {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const found = (await get(`/v1/statistics?from=${from}`)).json();
  expect(found).toMatchObject({ bucketMs: 60_000, behind: 0, rolledUpTo: expect.any(String) });
  expect(found.buckets.length).toBeGreaterThanOrEqual(60);
  const sum = (of: string) =>
    found.buckets.reduce((all: number, bucket: Record<string, number>) => all + bucket[of]!, 0);
  expect([sum("submitted"), sum("halted"), sum("failedAttempts")]).toEqual([2, 1, 1]);
  expect(found.workflows).toEqual([
    expect.objectContaining({ workflow: "halting.v1", submitted: 2, halted: 1, latencyMs: null }),
  ]);
});

test("statistics of a workflow have those of all its versions and of no other", async () => {
  const one = (await get("/v1/statistics?workflow=halting")).json();
  expect(one.workflows).toHaveLength(1);
  const none = (await get("/v1/statistics?workflow=unknown.v1")).json();
  expect(none.workflows).toEqual([]);
});

test("a range of a thousand years has at most 400 buckets", async () => {
  const found = (
    await get("/v1/statistics?from=1026-01-01T00:00:00Z&until=2199-01-01T00:00:00Z")
  ).json();
  expect(found.buckets.length).toBeLessThanOrEqual(400);
});

test.each([
  "/v1/statistics?from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z",
  "/v1/statistics?from=yesterday",
  "/v1/statistics?workflow=",
  "/v1/statistics?more=1",
  "/v1/failures?createdFrom=x",
])("the request %s is refused", async (url) => {
  expect((await get(url)).statusCode).toBe(422);
});

test.each(["/v1/overview", "/v1/statistics", "/v1/failures"])(
  "%s is refused without the operator's token",
  async (url) => {
    expect((await operated.app.inject({ url })).statusCode).toBe(401);
  },
);

test("failures that are alike are one group, whose filter finds their tasks", async () => {
  const { groups, truncated } = (await get("/v1/failures")).json();
  expect({ groups, truncated }).toEqual({
    truncated: false,
    groups: [
      {
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        workflow: "halting.v1",
        step: "reserve",
        faultCode: "rooms.sold_out",
        message: "",
        count: 1,
        open: 1,
        firstAt: expect.any(String),
        lastAt: expect.any(String),
        sample: [haltedId],
        filter: { fingerprint: groups[0].fingerprint },
      },
    ],
  });
  expect(idsOf(await search(groups[0].filter))).toEqual([haltedId]);
  expect(idsOf(await get(`/v1/tasks?fingerprint=${groups[0].fingerprint}`))).toEqual([haltedId]);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect((await get(`/v1/failures?createdFrom=${later}`)).json().groups).toEqual([]);
  const before = (await get(`/v1/failures?createdBefore=${later}`)).json().groups[0];
  expect(before).toMatchObject({ count: 1, filter: { createdAt: { $lt: later } } });
  expect(idsOf(await search(before.filter))).toEqual([haltedId]);
});

test("a text finds tasks by their id, the beginning of it, their fault code and their keys", async () => {
  const { store } = operated;
  const [named] = await store.submitTasks(
    [
      {
        tenant: "default",
        workflow: "halting.v1",
        input: sampleBooking(),
        priority: "normal",
        fairness: null,
        replyTo: null,
        key: "order-77",
        correlationId: "trace-77-a",
        idempotency: { key: "once-77", hash: "x" },
      },
    ],
    { actor: "test" },
  );
  const id = (named as { readonly taskId: string }).taskId;
  const found = async (text: string) => idsOf(await search({ text }));
  expect(await found(haltedId)).toEqual([haltedId]);
  expect(await found(haltedId.slice(0, 13))).toContain(haltedId);
  expect(await found("rooms.sold_out")).toEqual([haltedId]);
  expect(await found("rooms.")).toEqual([haltedId]);
  for (const text of ["order-77", "trace-77-a", "trace-77", "once-77"])
    expect([text, await found(text)]).toEqual([text, [id]]);
  for (const text of ["order-7", "rooms%", "' or 1=1 --", "\u{1F600}", "ffff", "zzzz"])
    expect([text, await found(text)]).toEqual([text, []]);
  expect(idsOf(await get("/v1/tasks?text=order-77&limit=500"))).toEqual([id]);
});
