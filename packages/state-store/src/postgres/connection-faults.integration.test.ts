import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

interface InjectedFault {
  readonly when: "before" | "after";
  readonly statement: string;
}

let db: TestStore;
let store: StateStore;
let faults: InjectedFault[] = [];
const note = (fault: unknown) => void faults.push(fault as InjectedFault);
const usual = process.env["HOLDFAST_STORE_FAULTS"];
beforeAll(async () => {
  subscribe("holdfast.injected-faults", note);
  db = await openTestStore();
  process.env["HOLDFAST_STORE_FAULTS"] = "4%@3";
  store = await db.open("submission");
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));
});
afterAll(async () => {
  process.env["HOLDFAST_STORE_FAULTS"] = usual;
  unsubscribe("holdfast.injected-faults", note);
  await db[Symbol.asyncDispose]();
});
beforeEach(() => {
  faults = [];
});

const lost = (when: InjectedFault["when"], statement: string) =>
  faults.filter((fault) => fault.when === when && fault.statement === statement).length;

test("a submission whose COMMIT answer was lost is written once, also without a key", async () => {
  const ids = new Set<string>();
  for (let round = 0; lost("after", "commit") < 5 || lost("before", "commit") < 5; round += 1) {
    const [submitted] = await store.submitTasks([newTask()], { actor: "test" });
    expect(submitted?.kind).toBe("created");
    ids.add(submitted?.kind === "created" ? submitted.taskId : "");
  }
  const written = await db.query<{ id: string }>("select task_id::text as id from state.tasks");
  expect(new Set(written.map(({ id }) => id))).toEqual(ids);
  expect(written).toHaveLength(ids.size);
});

test("a decision whose COMMIT answer was lost counts once, and returns the steps claimed with it", async () => {
  const scheduler = await db.open("scheduler");
  const claim = {
    lockedBy: "scheduler-1",
    capacity: [{ lane: "agent", slots: 500 }],
    resendAfter: 300,
  };
  while (lost("after", "commit") < 5 || lost("before", "commit") < 5) {
    await store.submitTasks([newTask()], { actor: "test" });
    for (let claims = await claimAll(scheduler); claims.length > 0; ) {
      const applied = await scheduler.applyEvents(
        claims.map((one) => ({ taskId: one.taskId, event: completed(one), output: {} })),
        { actor: "scheduler-1", claim },
      );
      expect(applied.outcomes.every((outcome) => outcome.applied)).toBe(true);
      claims = [...(applied.claims ?? [])];
    }
  }
  expect(await db.query("select process_state from state.tasks group by 1")).toEqual([
    { process_state: "processed" },
  ]);
  expect(await db.query("select 1 from state.steps where attempt <> 1")).toEqual([]);
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("what a person decides counts once though the answer to its COMMIT was lost", async () => {
  await store.registerWorkflow(
    testWorkflow([{ name: "release", audience: "treasury", quorum: 2 }], "releasing.v1"),
  );
  const decisions: string[] = [];
  while (lost("after", "commit") < 5 || lost("before", "commit") < 5) {
    const [submitted] = await store.submitTasks([newTask({ workflow: "releasing.v1" })], {
      actor: "test",
    });
    const taskId = submitted?.kind === "created" ? submitted.taskId : "";
    for (const [nth, actor] of ["ada", "bob"].entries()) {
      const decided = await store.recordDecision({
        taskId,
        step: "release",
        actor,
        actorName: actor,
        decision: "approve",
        reason: null,
        form: null,
        quorum: 2,
      });
      expect(decided).toMatchObject({ kind: "counted", approvals: nth + 1, isDecided: nth === 1 });
      decisions.push(`${taskId} ${actor}`);
    }
  }
  const kept = await db.query<{ row: string }>(
    "select task_id || ' ' || actor as row from state.decisions order by at",
  );
  expect(kept.map(({ row }) => row)).toEqual(decisions);
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("a fault rate that cannot be parsed is a configuration error", async () => {
  process.env["HOLDFAST_STORE_FAULTS"] = "often";
  await expect(db.open("submission")).rejects.toMatchObject({ code: "config.invalid" });
});
