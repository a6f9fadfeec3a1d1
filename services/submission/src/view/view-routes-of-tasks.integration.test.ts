import { queryOnce } from "@holdfast/local-stack";
import { openStateStore } from "@holdfast/state-store";
import { testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { operationsUrl } from "../../test/operations-url.ts";
import { serve } from "../../test/serve.ts";
import { authorization, openTrips, type TripService, token } from "../../test/trips.ts";
import { openInspection } from "./open-inspection.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
const resources = new AsyncDisposableStack();
beforeAll(async () => {
  trips = resources.use(await openTrips());
  const broker = resources.use(await testBroker());
  const url = await operationsUrl(trips.url, resources);
  const store = resources.use(
    await openStateStore({ url, applicationName: "test", maxConnections: 2 }),
  );
  const inspection = resources.use(
    openInspection({
      stateStoreUrl: url,
      brokerUrl: broker.url,
      managementUrl: null,
      name: "test",
    }),
  );
  app = resources.use(serve(store, { token, inspection }));
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

const get = (path: string, headers: Record<string, string> = { authorization }) =>
  app.inject({ url: `/v1/${path}`, headers });
const submitted = async () => (await trips.submit()).json<{ id: string }>().id;

test("why says the same sentences as the command", async () => {
  const id = await submitted();
  const why = await get(`tasks/${id}/why`);
  expect(why.statusCode).toBe(200);
  expect(why.json()).toEqual({
    taskId: id,
    workflow: "trip.v10",
    state: "pending",
    sentence: expect.stringMatching(/^It waits for step book of Agent hotels/),
    evidence: [
      expect.stringMatching(/^trip\.v10 was activated last at .* by ann: a newer one is better\.$/),
    ],
    steps: [{ name: "book", sentence: expect.stringMatching(/^It waits for step book/) }],
    turnOf: "It is in the band normal: 0 are due before it.",
  });
  expect((await get(`trips/${id}/why`)).statusCode).toBe(404);
});

test("attempts are shown with input, deadline and what came too late", async () => {
  const id = await submitted();
  const [claimed] = await trips.store.claimDueSteps({
    lockedBy: "scheduler-1",
    capacity: [{ lane: "hotels", slots: 10 }],
    resendAfter: 1_000,
  });
  await trips.store.recordRejectedReplies([
    {
      taskId: id,
      step: "book",
      attempt: 1,
      reason: "stale_attempt",
      sender: "hotels-host-17-abcdef",
      body: Buffer.from('{ "late": true }'),
    },
  ]);
  const { items, waits, lateReplies, truncated } = (await get(`tasks/${id}/attempts`)).json();
  expect(items).toEqual([
    expect.objectContaining({
      step: "book",
      kind: "call",
      undoes: null,
      attempt: 1,
      agent: "hotels",
      lockedBy: "scheduler-1",
      outcome: "running",
      endedAt: null,
      input: { guest: "Ada", nights: 2 },
      output: null,
      completeBy: new Date(claimed?.completeBy ?? 0).toISOString(),
    }),
  ]);
  expect(waits).toEqual([]);
  expect(lateReplies).toMatchObject([{ step: "book", attempt: 1, reason: "stale_attempt" }]);
  expect(JSON.stringify(lateReplies)).not.toContain("host");
  expect(truncated).toBe(false);
});

test("the history and the attempts say who said that a step failed", async () => {
  const id = await submitted();
  const [claimed] = await trips.store.claimDueSteps({
    lockedBy: "scheduler-1",
    capacity: [{ lane: "hotels", slots: 10 }],
    resendAfter: 1_000,
  });
  const { name: step, attempt, token: ofAttempt } = claimed!;
  const failure = {
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: null,
  } as const;
  const event = { kind: "failed", code: "hotels.busy", ...failure, step, attempt } as const;
  await trips.store.applyEvents([{ taskId: id, event: { ...event, token: ofAttempt } }], {
    actor: "scheduler-1",
  });
  const { items } = (await get(`tasks/${id}/history`)).json();
  const named = (items as { action: string; source: string | null }[]).map((entry) => [
    entry.action,
    entry.source,
  ]);
  expect(Object.fromEntries(named)).toEqual({
    submit: null,
    claim: null,
    summarise: null,
    retry: "remoteService",
  });
  const attempts = (await get(`tasks/${id}/attempts`)).json();
  expect(attempts.items).toMatchObject([{ faultCode: "hotels.busy", source: "remoteService" }]);
});

test("a task with very many attempts shows the newest thousand, and says so", async () => {
  const id = await submitted();
  await queryOnce(
    trips.url,
    `insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
     select '${id}', 'book', move.*
       from generate_series(1, 1500) as number
      cross join lateral (values ('claim', 'pending', 'processing', number, 's'),
                                 ('retry', 'processing', 'pending', number, 's')) as move
      order by number`,
  );
  const { items, truncated } = (await get(`tasks/${id}/attempts`)).json();
  expect(truncated).toBe(true);
  expect(items).toHaveLength(1_000);
  expect(items[0].attempt).toBe(1_500);
});

test("doctor and verify answer with findings, and say when they looked", async () => {
  const doctor = (await get("doctor")).json();
  expect(doctor.findings).toContainEqual({
    check: "store.version",
    severity: "ok",
    sentence: expect.stringMatching(/^Postgres /),
    advice: null,
  });
  expect(doctor.findings.map(({ severity }: { severity: string }) => severity)).toContain("error");
  expect(doctor.ok).toBe(false);
  const id = await submitted();
  await queryOnce(
    trips.url,
    `set session_replication_role = replica; delete from state.steps where task_id = '${id}'`,
  );
  const { at, ...found } = (await get("verify")).json();
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000);
  expect(found).toMatchObject({ ok: false, complete: true });
  expect(found.violations).toContainEqual({
    rule: "every task has steps",
    taskId: id,
    sentence: expect.stringMatching(/^The task was written without its steps/),
  });
});

describe("without the operator's token there is", () => {
  test.each(["tasks/x/why", "tasks/x/attempts", "doctor", "verify"])("no %s", async (path) => {
    expect((await get(path, {})).statusCode).toBe(401);
  });
});
