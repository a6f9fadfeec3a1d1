import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b", agent: "other" }]);
  ({ db, submission, operations, scheduler, supervisor } = await openTestStores({
    ...workflow,
    completeWithin: 60_000,
  }));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts", "pauses"));

const actor = "supervisor-1";
const ann = { actor: "ann", note: "the customer called" };
const because = { actor: "ann", reason: "stock-taking" };

const submit = () => submitOne(submission);

const apply = (taskId: string, kind: "paused" | "resumed") =>
  operations.applyEvents([{ taskId, event: { kind } }], ann);

/** Everything that has happened so far happened so many seconds earlier. */
const travel = (seconds: number) =>
  db.query(
    `set session_replication_role = replica;
     update state.tasks
        set created_at = created_at - interval '${seconds} seconds',
            updated_at = updated_at - interval '${seconds} seconds',
            complete_by = complete_by - interval '${seconds} seconds',
            paused_at = paused_at - interval '${seconds} seconds';
     update state.pauses
        set paused_at = paused_at - interval '${seconds} seconds',
            resumed_at = resumed_at - interval '${seconds} seconds';
     reset session_replication_role`,
  );

const expired = async () => (await supervisor.findExpired({ batch: 10 })).taskIds;

describe("the time limit of a task is suspended", () => {
  test("while the task is paused, and continues after the resume", async () => {
    const taskId = await submit();
    await travel(50);
    await apply(taskId, "paused");
    await travel(3_600);
    expect(await expired()).toEqual([]);
    await apply(taskId, "resumed");
    expect(await expired()).toEqual([]);
    await travel(5);
    expect(await expired()).toEqual([]);
    await travel(10);
    expect(await expired()).toEqual([taskId]);
  });

  test.each([
    { kind: "workflow", name: "test.v1" },
    { kind: "agent", name: "other" },
  ] as const)("while its $kind is paused, and continues after the resume", async (target) => {
    const taskId = await submit();
    await travel(50);
    await operations.pause({ ...target, ...because });
    await travel(3_600);
    expect(await expired()).toEqual([]);
    await operations.resume({ ...target, ...because });
    await travel(5);
    expect(await expired()).toEqual([]);
    await travel(10);
    expect(await expired()).toEqual([taskId]);
  });

  test("once, while its workflow and two Agents of it are paused at the same time", async () => {
    const taskId = await submit();
    const targets = [
      { kind: "workflow", name: "test.v1" },
      { kind: "agent", name: "agent" },
      { kind: "agent", name: "other" },
    ] as const;
    for (const target of targets) await operations.pause({ ...target, ...because });
    await travel(30);
    for (const target of targets) await operations.resume({ ...target, ...because });
    await travel(55);
    expect(await expired()).toEqual([]);
    await travel(10);
    expect(await expired()).toEqual([taskId]);
  });

  test("for no pause before its submission, and none of an Agent that it does not use", async () => {
    await operations.pause({ kind: "agent", name: "other", ...because });
    await travel(3_600);
    await operations.resume({ kind: "agent", name: "other", ...because });
    const taskId = await submit();
    await operations.pause({ kind: "agent", name: "stranger", ...because });
    await travel(61);
    expect(await expired()).toEqual([taskId]);
  });
});

test("a task that is paused after its limit was found to have passed is not undone", async () => {
  const taskId = await submit();
  await travel(61);
  expect(await expired()).toEqual([taskId]);
  await apply(taskId, "paused");
  const late = { taskId, event: { kind: "limitPassed" } } as const;
  const { outcomes } = await supervisor.applyEvents([late], { actor });
  expect(outcomes).toEqual([{ applied: false, reason: "task_paused" }]);
  await apply(taskId, "resumed");
  expect(await expired()).toEqual([taskId]);
  await supervisor.applyEvents([late], { actor });
  expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
    processState: "undone",
    faultCode: "task.expired",
  });
});

test("a task that is undone while it is paused stays paused, and its undos begin with the resume", async () => {
  const taskId = await submit();
  const claims = await claimAll(scheduler);
  await scheduler.applyEvents(
    claims.map((claim) => ({ taskId, event: completed(claim), output: {} })),
    { actor },
  );
  await apply(taskId, "paused");
  const undo = { taskId, event: { kind: "undoRequested", code: "operator.cancel" } } as const;
  await operations.applyEvents([undo], ann);
  const stepOf = async (name: string) => {
    const task = await submission.findTask({ taskId, tenant: "default" });
    return { paused: task?.paused?.by, ...task?.steps.find((step) => step.name === name) };
  };
  expect(await stepOf("a:undo")).toMatchObject({ paused: "ann", processState: "waiting" });
  expect(await claimAll(scheduler)).toEqual([]);
  await apply(taskId, "resumed");
  expect(await stepOf("a:undo")).toMatchObject({ processState: "pending" });
});

const delayed = async (retryAfter: number) => {
  const taskId = await submit();
  const [claim] = await claimAll(scheduler);
  const event = failed(claim!, { code: "shop.busy", retryAfter });
  await scheduler.applyEvents([{ taskId, event }], { actor });
  const [step] = await db.query<{ rests: number }>(
    `select extract(epoch from not_before - now())::integer as rests
       from state.steps where name = 'a'`,
  );
  const alerts = await db.query("select kind, step, code from state.alerts");
  return { taskId, rests: step?.rests, alerts };
};

describe("a delay", () => {
  test.each([8e15, 1e308])(
    "of %p ms that an Agent asks for is cut to an hour, with an alert",
    async (ms) => {
      const { rests, alerts } = await delayed(ms);
      expect(rests).toBeGreaterThan(3_590);
      expect(rests).toBeLessThanOrEqual(3_600);
      expect(alerts).toEqual([{ kind: "step.delayed", step: "a", code: "shop.busy" }]);
    },
  );

  test("of at most an hour is kept, without an alert", async () => {
    const { rests, alerts } = await delayed(600_000);
    expect(rests).toBeGreaterThan(590);
    expect(rests).toBeLessThanOrEqual(600);
    expect(alerts).toEqual([]);
  });

  test("is ended by an operator: the step is claimed at once", async () => {
    const { taskId } = await delayed(600_000);
    expect(await claimAll(scheduler)).toEqual([]);
    const retry = { taskId, event: { kind: "retryRequested", step: "a" } } as const;
    await operations.applyEvents([retry], ann);
    expect(await claimAll(scheduler)).toMatchObject([{ taskId, name: "a", attempt: 2 }]);
    expect(await submission.findEvents({ taskId })).toContainEqual(
      expect.objectContaining({ action: "retryNow", step: "a", actor: "ann", note: ann.note }),
    );
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });
});

const stalled = async () => {
  await travel(120);
  return (await supervisor.findStalledTasks({ after: null, untouchedFor: 60_000 })).taskIds;
};

const rest = (until: string) =>
  db.query(`update state.steps set rank = null, not_before = ${until} where name = 'a'`);

describe("the sweep", () => {
  test.each(["'5138-11-16'", "'infinity'"])(
    "finds a step that is delayed until %s, and makes it due",
    async (until) => {
      const taskId = await submit();
      await rest(until);
      expect(await stalled()).toEqual([taskId]);
      const replan = { taskId, event: { kind: "replanned" } } as const;
      await supervisor.applyEvents([replan], { actor });
      expect(await claimAll(scheduler)).toMatchObject([{ taskId, name: "a" }]);
    },
  );

  test("does not change steps that are delayed for an hour at most, or belong to a paused workflow", async () => {
    await submit();
    await rest("now() + interval '59 minutes'");
    expect(await stalled()).toEqual([]);
    await rest("'infinity'");
    await operations.pause({ kind: "workflow", name: "test.v1", ...because });
    expect(await stalled()).toEqual([]);
  });

  test("finds a task that is being undone and has nothing to wait for but a failed call", async () => {
    const taskId = await submit();
    const [a] = await claimAll(scheduler);
    await scheduler.applyEvents([{ taskId, event: completed(a!), output: {} }], { actor });
    const [b] = await scheduler.claimDueSteps({
      lockedBy: actor,
      capacity: [{ lane: "other", slots: 1 }],
      resendAfter: 300,
    });
    const event = failed(b!, { transient: false, effect: "none" });
    await scheduler.applyEvents([{ taskId, event }], { actor });
    expect(await stalled()).toEqual([]);
    await db.query(
      `set session_replication_role = replica;
       update state.steps set process_state = 'waiting', rank = null, not_before = null
        where name = 'a:undo';
       reset session_replication_role`,
    );
    expect(await stalled()).toEqual([taskId]);
  });
});
