import { callsOf, type TaskEvent } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { makeEnqueued } from "../../test/application.ts";
import { failed, openTestStores, submitOne, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { ClaimedStep } from "./claimed-step.ts";

type Stores = Awaited<ReturnType<typeof openTestStores>>;

const agents = ["psp", "psp-eu"];
const remote = { service: "psp" };
const pooled = {
  ...testWorkflow([{ name: "a", agent: "psp", agents }, { name: "b" }]),
  remotes: { psp: remote, "psp-eu": remote },
  completeWithin: 60_000,
};

let stores: Stores;
let scheduler: StateStore;
beforeAll(async () => {
  stores = await openTestStores(pooled);
  ({ scheduler } = stores);
});
afterAll(async () => {
  await stores.db[Symbol.asyncDispose]();
});
beforeEach(() => stores.db.clear("outbox", "alerts", "pauses"));

const claim = (lane: string, agent?: string): Promise<readonly ClaimedStep[]> =>
  scheduler.claimDueSteps({
    lockedBy: "scheduler-1",
    resendAfter: 60_000,
    capacity: [{ lane, slots: 10, ...(agent === undefined ? {} : { agent }) }],
  });

const apply = (one: ClaimedStep, event: TaskEvent) =>
  scheduler.applyEvents([{ taskId: one.taskId, event }], { actor: "scheduler-1" });

const by = ({ name: step, attempt, token }: ClaimedStep, agent: string): TaskEvent => ({
  kind: "completed",
  step,
  attempt,
  token,
  agent,
});

const rowsOf = () =>
  stores.db.query<{ name: string; lane: string; agent: string | null }>(
    "select name, lane, agent from state.steps where name like 'a%' order by name",
  );

const due = () =>
  stores.db.query("update state.steps set rank = now() where not_before is not null");

test("a stored pool has a lane of its own, beside those of its Agents", async () => {
  expect(new Set(await scheduler.findLanes())).toEqual(
    new Set(["psp+psp-eu", "psp", "psp-eu", callsOf(pooled)[1]?.agent]),
  );
  expect(await stores.db.query("select * from state.remotes order by agent")).toEqual([
    { agent: "psp", service: "psp", shares_keys: false },
    { agent: "psp-eu", service: "psp", shares_keys: false },
  ]);
});

test.each([
  ["that is no object", "[]"],
  ["without steps", '{"steps": null}'],
  ["with a step that is no object", '{"steps": [1, {"agent": "seen"}]}'],
  ["with text that Postgres cannot hold", '{"steps": [{"agent": "a\\u0000"}]}'],
])("a definition %s keeps no Scheduler from the lanes of others", async (_, definition) => {
  const before = await scheduler.findLanes();
  await stores.db.query(
    "insert into state.workflows (name, content_hash, format, definition) values ('odd.v1', '', 1, $1)",
    [definition],
  );
  const found = await scheduler.findLanes();
  await stores.db.query("delete from state.workflows where name = 'odd.v1'");
  expect(found.filter((lane) => lane !== "seen").toSorted()).toEqual(before.toSorted());
});

test("of two workflows that contradict each other at the same moment one is refused", async () => {
  for (const agent of ["one", "two", "three", "four", "five"]) {
    const saying = (service: string) => ({
      ...testWorkflow([{ name: "a", agent }], `${agent}-${service}.v1`),
      remotes: { [agent]: { service } },
    });
    const results = await Promise.allSettled([
      stores.submission.registerWorkflow(saying("psp")),
      stores.operations.registerWorkflow(saying("bank")),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = results.find(({ status }) => status === "rejected");
    expect(refused).toMatchObject({ reason: { code: "agent.remote_changed" } });
  }
});

test("a claim of a pool gives its steps to one Agent, for which they count as in flight", async () => {
  await submitOne(stores.submission);
  expect(await claim("psp")).toEqual([]);
  const [step] = await claim("psp+psp-eu", "psp-eu");
  expect(step).toMatchObject({ lane: "psp+psp-eu", agent: "psp-eu" });
  expect(await scheduler.countStepsInFlight({ lockedBy: "scheduler-1" })).toEqual([
    { lane: "psp-eu", inFlight: 1, own: 1, urgent: 0 },
  ]);
  await scheduler.unconfirmSteps();
  expect(await scheduler.takeUnconfirmedSteps({ resendAfter: 1_000 })).toMatchObject([
    { agent: "psp-eu" },
  ]);
});

test("nothing is claimed for an Agent of a pool that is paused, and it is named as unavailable", async () => {
  await submitOne(stores.submission);
  const because = { kind: "agent", name: "psp", actor: "ann", reason: "stock-taking" } as const;
  await stores.operations.pause(because);
  expect(await claim("psp+psp-eu", "psp")).toEqual([]);
  expect(await scheduler.findUnavailableAgents()).toEqual(["psp"]);
  expect(await claim("psp+psp-eu", "psp-eu")).toHaveLength(1);
});

test("an Agent of which every instance has an open breaker is named as unavailable", async () => {
  const beat = { capacity: 10, inFlight: 0, openForMs: 5_000 };
  await scheduler.recordHeartbeats([
    { ...beat, agent: "psp", instance: "1", breaker: "open" },
    { ...beat, agent: "psp", instance: "2", breaker: "open" },
    { ...beat, agent: "psp-eu", instance: "3", breaker: "open" },
    { ...beat, agent: "psp-eu", instance: "4", breaker: "closed", openForMs: 0 },
  ]);
  expect(await scheduler.findUnavailableAgents()).toEqual(["psp"]);
  await stores.db.clear("agents");
});

test("a step that may have had an effect waits for its Agent, and without one for the pool", async () => {
  await submitOne(stores.submission);
  const [first] = await claim("psp+psp-eu", "psp-eu");
  await apply(first!, failed(first!, { effect: "none" }));
  expect(await rowsOf()).toEqual([{ name: "a", lane: "psp+psp-eu", agent: "psp-eu" }]);
  await due();
  const [second] = await claim("psp+psp-eu", "psp");
  expect(second).toMatchObject({ agent: "psp", attempt: 2 });
  await apply(second!, failed(second!, { effect: "unknown" }));
  expect(await rowsOf()).toEqual([{ name: "a", lane: "psp", agent: "psp" }]);
  await due();
  expect(await claim("psp+psp-eu", "psp-eu")).toEqual([]);
  expect(await claim("psp")).toMatchObject([{ lane: "psp", agent: "psp", attempt: 3 }]);
});

test("only the chosen Agent may reply, and it undoes what it did", async () => {
  const taskId = await submitOne(stores.submission);
  const [step] = await claim("psp+psp-eu", "psp-eu");
  const wrong = await apply(step!, by(step!, "psp"));
  expect(wrong.outcomes).toMatchObject([{ applied: false, reason: "wrong_agent" }]);
  const right = await apply(step!, by(step!, "psp-eu"));
  expect(right.outcomes).toMatchObject([{ applied: true }]);
  const undo = { kind: "undoRequested", code: "operator.cancel" } as const;
  await stores.operations.applyEvents([{ taskId, event: undo }], { actor: "ann" });
  expect(await rowsOf()).toEqual([
    { name: "a", lane: "psp+psp-eu", agent: "psp-eu" },
    { name: "a:undo", lane: "psp-eu", agent: "psp-eu" },
  ]);
  expect(await claim("psp-eu")).toMatchObject([{ name: "a:undo", agent: "psp-eu" }]);
});

test("the limit of a task stands still while all Agents of its pool are paused, and not while one is", async () => {
  await submitOne(stores.submission);
  const back = (table: string, column: string, seconds: number) =>
    stores.db.query(
      `update state.${table} set ${column} = ${column} - interval '${seconds} seconds'`,
    );
  const pause = (name: string) =>
    stores.operations.pause({ kind: "agent", name, actor: "ann", reason: "stock-taking" });
  const expired = async () => (await stores.supervisor.findExpired({ batch: 10 })).taskIds;
  await pause("psp");
  await pause("psp-eu");
  await back("pauses", "paused_at", 100);
  await stores.db.query(`set session_replication_role = replica;
    update state.tasks set created_at = created_at - interval '120 seconds',
                           complete_by = complete_by - interval '120 seconds';
    reset session_replication_role`);
  expect(await expired()).toEqual([]);
  await stores.operations.resume({ kind: "agent", name: "psp", actor: "ann", reason: "done" });
  // Now only one is: since 100 s, and the other one has been for 30 s of them.
  await back("pauses", "resumed_at", 70);
  expect(await expired()).toHaveLength(1);
});

test("an application's transaction writes a step of a pool into the lane of the pool", async () => {
  await stores.db.query("select state.submit_task('test.v1', '{}')");
  await makeEnqueued(stores.db, stores.submission);
  expect(await rowsOf()).toEqual([{ name: "a", lane: "psp+psp-eu", agent: null }]);
});
