import { type Json, savedStepTransitions, stepStates as states, type Task } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  attemptOf,
  claimAll,
  completed,
  failed,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { ClaimedStep } from "../claim/claimed-step.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../state-store.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
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
  ({ db, submission, scheduler, supervisor } = await openTestStores(...workflows));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("rejected_replies"));

const submit = (count: number, workflow = "test.v1") => submitMany(submission, count, { workflow });
const apply = (...reportedEvents: Parameters<StateStore["applyEvents"]>[0]) =>
  scheduler.applyEvents(reportedEvents, { actor: "scheduler-1" });
const complete = (claim: ClaimedStep, output: Json = {}) => ({
  taskId: claim.taskId,
  event: completed(claim),
  output,
});
const stepStates = (task: Task | undefined) =>
  Object.fromEntries(
    [...(task?.steps ?? [])].map(([name, { processState }]) => [name, processState]),
  );
/** One scan, as the Supervisor makes it. */
async function supervise(actor: string): Promise<void> {
  const { steps } = await supervisor.findExpired({ batch: 500 });
  const reportedEvents = steps.map(({ taskId, ...attempt }) => ({
    taskId,
    event: { kind: "expired", ...attempt } as const,
  }));
  await supervisor.applyEvents(reportedEvents, { actor, skipLocked: true });
}
const violations = () => submission.findInvariantViolations({ batch: 10 });

/** Claims and completes everything until nothing is due. */
async function drain(): Promise<void> {
  for (;;) {
    const claims = await claimAll(scheduler);
    if (claims.length === 0) return;
    await apply(...claims.map((claim) => complete(claim)));
  }
}

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
      relayAfter: 300,
    };
    const record = (one: ClaimedStep) =>
      store.applyEvents([complete(one)], { actor: "scheduler-1", claim });
    const { claims } = await record((await claimAll(scheduler))[0]!);
    expect(claims).toMatchObject([{ name: "b" }]);
    // Somebody else's is due, and whoever asked is told to ask for it by themselves.
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
    await drain();
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
      relayAfter: 300,
    });
    const capacity = [{ lane: "agent", slots: 2 }];
    const { claims } = await scheduler.applyEvents([complete(first!), complete(second!)], {
      actor: "s",
      claim: { lockedBy: "s", capacity, relayAfter: 300 },
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
      claim: { lockedBy: "s", capacity, relayAfter: 300 },
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

const columns = (state: string) => `process_state = '${state}',
  not_before = ${state === "pending" ? "now()" : "null"}, rank = null,
  fault_code = ${state === "error" ? "'x.y'" : "null"},
  locked_by = ${state === "processing" ? "'s'" : "null"}, token = ${state === "processing" ? "gen_random_uuid()" : "null"},
  start_by = ${state === "processing" ? "now()" : "null"}, complete_by = ${state === "processing" ? "now()" : "null"},
  relay_at = ${state === "processing" ? "now()" : "null"}, attempt = attempt + ${Number(state === "processing")}`;

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

describe("a change that the store refuses", () => {
  test("parks its own task, and the others of the batch go on", async () => {
    await submit(3);
    const claims = await claimAll(scheduler);
    const poisoned = { ...complete(claims[1]!), faultDetail: "a NUL: \u0000" };
    const { outcomes } = await apply(complete(claims[0]!), poisoned, complete(claims[2]!));
    expect(outcomes.map(({ applied }) => applied)).toEqual([true, false, true]);
    const parked = await db.query(
      "select task_id::text, fault_code from state.tasks where process_state = 'error'",
    );
    expect(parked).toEqual([{ task_id: claims[1]!.taskId, fault_code: "store.refused" }]);
    expect(await violations()).toEqual([]);
  });

  const cells = states.flatMap((from) =>
    states
      .filter((to) => to !== from)
      .map(
        (to) => [from, to, savedStepTransitions.some(([a, b]) => a === from && b === to)] as const,
      ),
  );
  test.each(cells)("the guard of the store: %s to %s is legal: %s", async (from, to, legal) => {
    await submit(1);
    await db.query("alter table state.steps disable trigger guard_step");
    await db.query(`update state.steps set ${columns(from)} where name = 'a'`);
    await db.query("alter table state.steps enable trigger guard_step");
    const move = db.query(`update state.steps set ${columns(to)} where name = 'a'`);
    if (legal) await move;
    else await expect(move).rejects.toMatchObject({ code: "HF001" });
  });

  test("a task never changes its goal from undo to do", async () => {
    const [task] = (await submit(1)) as readonly { taskId: string }[];
    await apply({
      taskId: task!.taskId,
      event: { kind: "undoRequested", code: "operator.cancel" },
    });
    const back = db.query("update state.tasks set goal = 'do', version = version + 1");
    await expect(back).rejects.toMatchObject({ code: "HF001" });
  });
});

describe("undoing", () => {
  test("adds the compensations when it begins, and ends compensated", async () => {
    await submit(1);
    await apply(complete((await claimAll(scheduler))[0]!));
    const [b] = await claimAll(scheduler);
    const { tasks } = await apply({
      taskId: b!.taskId,
      event: failed(b!, { transient: false, effect: "none" }),
      faultDetail: "no",
    });
    expect(stepStates(tasks[0])).toEqual({ a: "processed", b: "error", "a:undo": "pending" });
    await drain();
    const task = await submission.findTask({ taskId: b!.taskId, tenant: "default" });
    expect(task).toMatchObject({
      processState: "compensated",
      goal: "undo",
      faultCode: "test.failed",
    });
    expect(await violations()).toEqual([]);
  });
});

const expire = () =>
  db.query(
    "update state.steps set start_by = now() - interval '2 s', complete_by = now() - interval '1 s', dispatched_at = now() where process_state = 'processing'",
  );

describe("an output that breaks the contract of its operation", () => {
  const outputs = {
    "agent.a": { type: "object", properties: { ok: { type: "string" } }, required: ["ok"] },
  };
  const workflow = { ...testWorkflow([{ name: "a" }, { name: "b" }], "held.v1"), outputs };

  test("fails its step for good, is not kept with it, and spoils no other of the batch", async () => {
    await submission.registerWorkflow(workflow);
    await submit(2, "held.v1");
    const claims = await claimAll(scheduler);
    const { outcomes } = await apply(
      complete(claims[0]!, { ok: 5 }),
      complete(claims[1]!, { ok: "yes" }),
    );
    expect(outcomes).toMatchObject([
      { applied: true, outputFault: { code: "step.output_invalid" } },
      { applied: true },
    ]);
    expect(outcomes[1]).not.toHaveProperty("outputFault");
    const steps = await db.query(
      `select process_state, steps.fault_code, may_have_effect, fault_detail, output
         from state.steps join state.step_payloads using (task_id, name)
        where name = 'a' order by process_state`,
    );
    expect(steps).toEqual([
      {
        process_state: "error",
        fault_code: "step.output_invalid",
        may_have_effect: true,
        fault_detail: "The output at /ok must be string",
        output: null,
      },
      {
        process_state: "processed",
        fault_code: null,
        may_have_effect: expect.any(Boolean),
        fault_detail: null,
        output: { ok: "yes" },
      },
    ]);
  });

  test("is judged by the stored contract: a definition of an earlier release is used unchanged", async () => {
    const { outputs: _, ...earlier } = { ...workflow, name: "earlier.v1" };
    await submission.registerWorkflow(earlier);
    await submission.registerWorkflow({ ...earlier, outputs });
    expect((await scheduler.findWorkflow("earlier.v1"))?.definition).toEqual(earlier);
  });

  test("cannot be changed under the same name, but may be left out", async () => {
    await submission.registerWorkflow(workflow);
    const { outputs: _, ...earlier } = workflow;
    await submission.registerWorkflow(earlier);
    const changed = { ...workflow, outputs: { "agent.a": { type: "null" } } };
    await expect(submission.registerWorkflow(changed)).rejects.toMatchObject({
      code: "workflow.changed",
    });
  });
});

describe("the Supervisor", () => {
  test("counts each silent step once, however many Supervisors look", async () => {
    await submit(300);
    await claimAll(scheduler);
    await expire();
    await Promise.all([1, 2, 3, 4, 5].map((n) => supervise(`supervisor-${n}`)));
    await supervise("supervisor-6");
    const counts = await db.query(
      "select failure_count, count(*)::int from state.steps where name = 'a' group by 1",
    );
    expect(counts).toEqual([{ failure_count: 1, count: 300 }]);
  });

  test("recovers tasks of workflows with conditions, without seeing what they are about", async () => {
    await submit(2, "choice.v1");
    await claimAll(scheduler);
    await expire();
    await supervise("supervisor");
    const rested = await db.query("select failure_count from state.steps where name = 'a'");
    expect(rested).toEqual([{ failure_count: 1 }, { failure_count: 1 }]);
    await db.query("update state.steps set not_before = now() where process_state = 'pending'");
    await scheduler.stageDueSteps();
    const [claim] = await claimAll(scheduler);
    const { tasks } = await apply(complete(claim!, { wanted: true }));
    expect(stepStates(tasks[0])).toMatchObject({ b: "pending" });
  });

  test("has no access to payloads", async () => {
    await expect(
      supervisor.loadValues([{ taskId: crypto.randomUUID(), name: null }]),
    ).rejects.toMatchObject({
      code: "store.failed",
    });
  });

  test("does not count a step whose reply comes at the same moment: one of the two wins", async () => {
    await submit(100);
    const claims = await claimAll(scheduler);
    await expire();
    const expiries = claims.map((claim) => ({
      taskId: claim.taskId,
      event: { kind: "expired", ...attemptOf(claim) } as const,
    }));
    const [replies, expired] = await Promise.all([
      apply(...claims.map((claim) => complete(claim))),
      supervisor.applyEvents(expiries, { actor: "supervisor", skipLocked: true }),
    ]);
    replies.outcomes.forEach(({ applied }, index) => {
      expect(applied !== expired.outcomes[index]?.applied || !applied).toBe(true);
      expect(applied || expired.outcomes[index]?.applied).toBe(true);
    });
    expect(await violations()).toEqual([]);
  });
});

const work = async (name: string) => {
  for (let idle = 0; idle < 3; ) {
    const capacity = [{ lane: "agent", slots: 40 }];
    const claims = await scheduler.claimDueSteps({ lockedBy: name, capacity, relayAfter: 300 });
    idle = claims.length === 0 ? idle + 1 : 0;
    await scheduler.applyEvents(
      claims.map((claim) => complete(claim)),
      { actor: name },
    );
  }
};

test("eight Schedulers and five Supervisors race over a thousand steps: no double claim, no deadlock", async () => {
  await submit(500);
  await Promise.all([
    ...Array.from({ length: 8 }, (_, index) => work(`scheduler-${index}`)),
    ...Array.from({ length: 5 }, async (_, index) => {
      for (let round = 0; round < 10; round += 1) await supervise(`supervisor-${index}`);
    }),
  ]);
  await drain();
  expect(await db.query("select process_state, count(*)::int from state.tasks group by 1")).toEqual(
    [{ process_state: "processed", count: 500 }],
  );
  expect(await db.query("select 1 from state.steps where attempt <> 1")).toEqual([]);
  expect(await violations()).toEqual([]);
});
