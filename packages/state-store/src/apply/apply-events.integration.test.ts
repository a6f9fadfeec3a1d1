import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  failed,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { complete, drain, stepStates } from "../../test/replies.ts";
import type { ClaimedStep } from "../claim/claimed-step.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
const halting = { after: [], onFailure: "halt" } as const;
const workflows = [
  testWorkflow([{ name: "a" }, { name: "b" }]),
  testWorkflow(
    [
      { name: "a" },
      { name: "b", after: ["a"] },
      { name: "c", after: ["a"] },
      { name: "d", after: ["b", "c"] },
    ],
    "diamond.v1",
  ),
  testWorkflow(
    [
      { name: "a" },
      { name: "b", onlyIf: { equals: [{ $ref: "/steps/a/wanted" }, true] } },
      { name: "c" },
    ],
    "choice.v1",
  ),
  testWorkflow(
    [
      { name: "a", ...halting },
      { name: "b", ...halting },
    ],
    "halting.v1",
  ),
];
beforeAll(async () => {
  ({ db, submission, scheduler } = await openTestStores(...workflows));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("rejected_replies"));

const submit = (count: number, workflow = "test.v1") => submitMany(submission, count, { workflow });
const apply = (...reportedEvents: Parameters<StateStore["applyEvents"]>[0]) =>
  scheduler.applyEvents(reportedEvents, { actor: "scheduler-1" });
const violations = () => submission.findInvariantViolations({ batch: 10 });

describe("a batch of replies", () => {
  test("advances every task, and stores the outputs", async () => {
    await submit(3);
    const claims = await claimAll(scheduler);
    const { outcomes, tasks } = await apply(...claims.map((claim) => complete(claim, { id: 7 })));
    expect(outcomes.every(({ applied }) => applied)).toBe(true);
    expect(tasks.map(stepStates)).toEqual([1, 2, 3].map(() => ({ a: "processed", b: "pending" })));
    const kept = await db.query("select output from state.step_payloads");
    expect(kept).toEqual([1, 2, 3].map(() => ({ output: { id: 7 } })));
    expect(await violations()).toEqual([]);
  });

  test("claims steps that have become due, and skips the claim if there are none", async () => {
    await using store = await openStateStore({
      url: db.url,
      applicationName: "scheduler-1",
      maxConnections: 2,
    });
    await submit(1);
    const claim = {
      lockedBy: "scheduler-1",
      capacity: [{ lane: "agent", slots: 1 }],
      resendAfter: 300,
    };
    const record = (one: ClaimedStep) =>
      store.applyEvents([complete(one)], { actor: "scheduler-1", claim });
    const { claims } = await record((await claimAll(scheduler))[0]!);
    expect(claims).toMatchObject([{ name: "b" }]);
    // Another task's step is due: null has the Scheduler claim it in a transaction of its own.
    await submit(1);
    expect(await record(claims![0]!)).toMatchObject({
      tasks: [{ processState: "processed" }],
      claims: null,
    });
  });

  test("with both branches of a join makes the next step due, once", async () => {
    await submit(1, "diamond.v1");
    await apply(complete((await claimAll(scheduler))[0]!));
    const branches = await claimAll(scheduler);
    expect(branches.map(({ name }) => name).toSorted()).toEqual(["b", "c"]);
    const { tasks } = await apply(...branches.map((claim) => complete(claim)));
    expect(stepStates(tasks[0])).toMatchObject({ d: "pending" });
  });

  test("whose branches two Schedulers record at the same time never loses the join", async () => {
    await submit(40, "diamond.v1");
    await apply(...(await claimAll(scheduler)).map((claim) => complete(claim)));
    const branches = await claimAll(scheduler);
    await Promise.all(branches.map((claim) => apply(complete(claim))));
    const [row] = await db.query(
      "select count(*)::int as due from state.steps where name = 'd' and process_state = 'pending'",
    );
    expect(row).toEqual({ due: 40 });
    await drain(scheduler);
    expect(await violations()).toEqual([]);
  });

  test("counts a reply that comes twice once, in one batch and in the next", async () => {
    await submit(1);
    const [claim] = await claimAll(scheduler);
    const first = await apply(complete(claim!), complete(claim!));
    expect(first.outcomes.map(({ applied }) => applied)).toEqual([true, false]);
    const second = await apply(complete(claim!));
    expect(second.outcomes).toEqual([{ applied: false, reason: "not_processing" }]);
  });

  test("claims in the same transaction the steps that became due, within its limits", async () => {
    await submit(3);
    const [first, second] = await scheduler.claimDueSteps({
      lockedBy: "s",
      capacity: [{ lane: "agent", slots: 2 }],
      resendAfter: 300,
    });
    const capacity = [{ lane: "agent", slots: 2 }];
    const { claims } = await scheduler.applyEvents([complete(first!), complete(second!)], {
      actor: "s",
      claim: { lockedBy: "s", capacity, resendAfter: 300 },
    });
    // The oldest come first, whether they have waited or have just become due.
    expect(claims?.map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
    expect(await violations()).toEqual([]);
  });

  test.each([
    ["as many as it made due", 500, 2],
    ["no more than there may be at most", 1, 1],
    ["nothing when there is no more", 0, 0],
  ])("without a free slot claims %s", async (_, most, expected) => {
    await submit(2);
    const [first, second] = await claimAll(scheduler);
    await submit(3);
    const capacity = [{ lane: "agent", slots: 0, most }];
    const { claims } = await scheduler.applyEvents([complete(first!), complete(second!)], {
      actor: "s",
      claim: { lockedBy: "s", capacity, resendAfter: 300 },
    });
    expect(claims).toHaveLength(expected);
  });

  test("for a task that does not exist reports that, and records all others", async () => {
    await submit(1);
    const [claim] = await claimAll(scheduler);
    const stranger = { ...claim!, taskId: "00000000-0000-7000-8000-000000000000" };
    const { outcomes } = await apply(complete(stranger), complete(claim!));
    expect(outcomes).toMatchObject([{ applied: false, reason: "unknown_task" }, { applied: true }]);
  });

  test("decides a condition on the outputs of the batch", async () => {
    await submit(2, "choice.v1");
    const [one, two] = await claimAll(scheduler);
    const { tasks } = await apply(
      complete(one!, { wanted: true }),
      complete(two!, { wanted: false }),
    );
    const byId = new Map(tasks.map((task) => [task.taskId, stepStates(task)]));
    expect(byId.get(one!.taskId)).toMatchObject({ b: "pending", c: "waiting" });
    expect(byId.get(two!.taskId)).toMatchObject({ b: "skipped", c: "pending" });
  });
});

const failForGood = (claim: ClaimedStep) => ({
  taskId: claim.taskId,
  event: failed(claim, { transient: false, effect: "none" }),
});
const claimBoth = async () => {
  await submit(1, "halting.v1");
  return (await claimAll(scheduler)).toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

describe("a task that halted", () => {
  test("holds a step that would be retried", async () => {
    const [a, b] = await claimBoth();
    await apply(failForGood(a!));
    const { outcomes, tasks } = await apply({ taskId: b!.taskId, event: failed(b!) });
    expect(outcomes).toMatchObject([
      { applied: true, changes: [{ action: "retry" }, { action: "hold" }] },
    ]);
    expect(stepStates(tasks[0])).toEqual({ a: "error", b: "waiting" });
  });

  test("holds a step that is resubmitted while another one is still in error", async () => {
    const [a, b] = await claimBoth();
    const { taskId } = a!;
    await apply(failForGood(a!), failForGood(b!));
    const resubmit = (step: string) =>
      apply({ taskId, event: { kind: "resubmitted", step, attempt: 1, inputChanged: false } });
    expect(stepStates((await resubmit("a")).tasks[0])).toEqual({ a: "waiting", b: "error" });
    expect(stepStates((await resubmit("b")).tasks[0])).toEqual({ a: "pending", b: "pending" });
  });
});

describe("undoing", () => {
  test("adds the undos when it begins, and ends undone", async () => {
    await submit(1);
    await apply(complete((await claimAll(scheduler))[0]!));
    const [b] = await claimAll(scheduler);
    const { tasks } = await apply({
      taskId: b!.taskId,
      event: failed(b!, { transient: false, effect: "none" }),
      faultDetail: "no",
    });
    expect(stepStates(tasks[0])).toEqual({ a: "processed", b: "error", "a:undo": "pending" });
    await drain(scheduler);
    const task = await submission.findTask({ taskId: b!.taskId, tenant: "default" });
    expect(task).toMatchObject({
      processState: "undone",
      goal: "undo",
      faultCode: "test.failed",
    });
    expect(await violations()).toEqual([]);
  });
});
