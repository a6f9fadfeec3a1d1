import { savedStepTransitions, stepStates as states } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { complete } from "../../test/replies.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  ({ db, submission, scheduler } = await openTestStores(
    testWorkflow([{ name: "a" }, { name: "b" }]),
  ));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("rejected_replies"));

const submit = (count: number) => submitMany(submission, count);
const apply = (...reportedEvents: Parameters<StateStore["applyEvents"]>[0]) =>
  scheduler.applyEvents(reportedEvents, { actor: "scheduler-1" });
const violations = () => submission.findInvariantViolations({ batch: 10 });

const columns = (state: string) => `process_state = '${state}',
  not_before = ${state === "pending" ? "now()" : "null"}, rank = null,
  lane = ${state === "awaiting" ? "''" : "'a'"},
  fault_code = ${state === "error" ? "'x.y'" : "null"},
  locked_by = ${state === "processing" ? "'s'" : "null"}, token = ${state === "processing" ? "gen_random_uuid()" : "null"},
  start_by = ${state === "processing" ? "now()" : "null"}, complete_by = ${state === "processing" ? "now()" : "null"},
  resend_at = ${state === "processing" ? "now()" : "null"}, attempt = attempt + ${Number(state === "processing")}`;

describe("a change that the store refuses", () => {
  test("parks its own task, and the others of the batch go on", async () => {
    await submit(3);
    const claims = await claimAll(scheduler);
    const poisoned = { ...complete(claims[1]!), faultDetail: "a NUL: \u0000" };
    const { outcomes } = await apply(complete(claims[0]!), poisoned, complete(claims[2]!));
    expect(outcomes.map(({ applied }) => applied)).toEqual([true, false, true]);
    const parked = await db.query(
      "select task_id::text, fault_code from state.tasks where process_state = 'halted'",
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
