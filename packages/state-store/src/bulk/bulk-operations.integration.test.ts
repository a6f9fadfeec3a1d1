import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { bulkFixture } from "../../test/bulk.ts";
import { claimAll, submitOne } from "../../test/fixtures.ts";
import { refused, work } from "../../test/replies.ts";

const {
  at,
  open,
  close,
  clear,
  apply,
  create,
  find,
  halted,
  historyOf,
  items,
  outcomes,
  verify,
  violations,
} = bulkFixture();
beforeAll(open);
afterAll(close);
beforeEach(clear);

describe("a bulk operation", () => {
  test("resubmits each task once, and counts a task as repaired only when its step got beyond the failure", async () => {
    const ids = await halted(3);
    const id = await create();
    expect(await find(id)).toMatchObject({ state: "running", matched: 3, waiting: 3 });
    expect(await apply(id)).toMatchObject({ applied: 3, refused: 0, state: "verifying" });
    // A second round, as after a crash, finds nothing more to do.
    expect(await apply(id)).toMatchObject({ applied: 0, refused: 0 });
    expect(await verify(id)).toMatchObject({ verified: 0 });
    expect(await outcomes(id)).toEqual(["applied", "applied", "applied"]);
    await work(at().scheduler);
    expect(await verify(id)).toMatchObject({ verified: 3, state: "done" });
    expect(await find(id)).toMatchObject({
      state: "done",
      succeeded: 3,
      applied: 0,
      endedAt: expect.any(Date),
    });
    expect((await items(id)).map(({ taskId }) => taskId)).toEqual(ids);
    for (const taskId of ids) {
      const resubmits = (await historyOf(taskId)).filter(({ action }) => action === "resubmit");
      expect(resubmits).toMatchObject([
        { step: "a", actor: "ann", note: `the bank is back (bulk operation ${id})` },
      ]);
    }
    expect(await violations()).toEqual([]);
  });

  test("ends as failed when a step failed for good again, with the code of that failure", async () => {
    await halted(2);
    const id = await create();
    await apply(id);
    const [one, other] = await claimAll(at().scheduler);
    await at().scheduler.applyEvents(
      [
        { taskId: one!.taskId, event: refused(one!) },
        {
          taskId: other!.taskId,
          event: { kind: "completed", step: "a", attempt: other!.attempt, token: other!.token },
          output: {},
        },
      ],
      { actor: "scheduler-1" },
    );
    expect(await verify(id)).toMatchObject({ verified: 2, state: "failed" });
    const failedAgain = await at().operations.listBulkItems({
      id,
      outcome: "failedAgain",
      after: 0,
      most: 10,
    });
    expect(failedAgain).toMatchObject([{ taskId: one!.taskId, code: "test.refused", step: "a" }]);
  });

  test("applies its canary only, and stops by itself when one of it fails again", async () => {
    const ids = await halted(5);
    const id = await create({ canary: 2 });
    expect(await apply(id)).toMatchObject({ applied: 2, state: "canary" });
    expect(await apply(id)).toMatchObject({ applied: 0, state: "canary" });
    await work(at().scheduler, refused);
    expect(await verify(id)).toMatchObject({ verified: 2, state: "stopped" });
    expect(await apply(id)).toMatchObject({ applied: 0 });
    const stopped = await find(id);
    expect(stopped).toMatchObject({ waiting: 3, failedAgain: 2, stoppedBy: "holdfast (canary)" });
    expect(stopped?.stopReason).toMatch(/of the canary failed again: test\.refused$/);
    for (const taskId of ids.slice(2)) {
      expect((await historyOf(taskId)).some(({ actor }) => actor === "ann")).toBe(false);
    }
  });

  test("goes on to the others once its canary has succeeded", async () => {
    await halted(4);
    const id = await create({ canary: 1 });
    await apply(id);
    await work(at().scheduler);
    expect(await verify(id)).toMatchObject({ state: "running" });
    expect(await apply(id)).toMatchObject({ applied: 3, state: "verifying" });
  });

  test("keeps its rate, whichever Supervisor applies it", async () => {
    await halted(4);
    const id = await create({ rate: 0.01 });
    const rounds = await Promise.all(Array.from({ length: 8 }, () => apply(id)));
    expect(rounds.reduce((sum, { applied }) => sum + applied, 0)).toBe(1);
    expect(await find(id)).toMatchObject({ waiting: 3 });
  });

  test("is worked off by several Supervisors at once with nothing done twice", async () => {
    const ids = await halted(40);
    const id = await create();
    // Rounds that find the operation locked by another one do nothing, however many they are.
    const race = async () => {
      while ((await find(id))?.waiting !== 0) await apply(id, 3);
    };
    await Promise.all([race(), race(), race()]);
    expect(await find(id)).toMatchObject({ waiting: 0, applied: 40 });
    const twice = await at().db.query(
      "select task_id from state.events where action = 'resubmit' group by task_id having count(*) <> 1",
    );
    expect(twice).toEqual([]);
    expect(await at().db.query("select from state.events where action = 'resubmit'")).toHaveLength(
      ids.length,
    );
    expect(await violations()).toEqual([]);
  });

  test("judges a task anew that has changed since it was chosen, and refuses one that was repaired", async () => {
    const [repaired, still] = await halted(2);
    const id = await create();
    await at().operations.applyEvents(
      [
        {
          taskId: repaired!,
          event: { kind: "resubmitted", step: "a", attempt: 1, inputChanged: false },
        },
      ],
      { actor: "bob", note: "by hand" },
    );
    expect(await apply(id)).toMatchObject({ applied: 1, refused: 1 });
    expect(await items(id)).toMatchObject([
      { taskId: repaired, outcome: "refused", code: "task.nothing_failed" },
      { taskId: still, outcome: "applied", code: null },
    ]);
  });

  test("refuses tasks that were deleted before it came to them, and does not count as repaired one that was deleted after", async () => {
    const [before, after] = await halted(2);
    const id = await create();
    const drop = (taskId: string) =>
      at()
        .db.query("delete from state.tasks where task_id = $1", [taskId])
        .then(() => at().db.query("delete from state.steps where task_id = $1", [taskId]));
    await drop(before!);
    expect(await apply(id)).toMatchObject({ applied: 1, refused: 1 });
    await drop(after!);
    await verify(id);
    expect(await items(id)).toMatchObject([
      { outcome: "refused", code: "task.unknown" },
      { outcome: "failedAgain", code: "bulk.task_gone" },
    ]);
  });

  test("leaves a locked task for a later round", async () => {
    const [locked] = await halted(2);
    const id = await create();
    await at().db.query("begin");
    await at().db.query("select from state.tasks where task_id = $1 for update", [locked]);
    expect(await apply(id)).toMatchObject({ applied: 1 });
    expect(await outcomes(id)).toEqual(["waiting", "applied"]);
    await at().db.query("rollback");
    expect(await apply(id)).toMatchObject({ applied: 1, state: "verifying" });
  });

  test("that is stopped applies nothing further, and still says what became of what it applied", async () => {
    await halted(3);
    const id = await create({ rate: 0.01 });
    await apply(id);
    const stop = { tenant: "default", id, actor: "bob", reason: "wrong filter" };
    expect(await at().operations.stopBulkOperation(stop)).toBe(true);
    expect(await at().operations.stopBulkOperation(stop)).toBe(false);
    expect(await apply(id)).toMatchObject({ applied: 0 });
    await work(at().scheduler);
    expect(await verify(id)).toMatchObject({ verified: 1, state: "stopped" });
    expect(await find(id)).toMatchObject({
      state: "stopped",
      waiting: 2,
      succeeded: 1,
      stoppedBy: "bob",
      stopReason: "wrong filter",
    });
    expect(await at().supervisor.findBulkWork()).toEqual([]);
  });

  test("undoes tasks, and counts one as undone only when all of it is", async () => {
    const [id] = [await submitOne(at().submission)];
    await work(at().scheduler);
    const operation = await create({ action: "cancel" });
    expect(await apply(operation)).toMatchObject({ applied: 1 });
    expect(await verify(operation, "cancel")).toMatchObject({ verified: 0 });
    await work(at().scheduler);
    expect(await verify(operation, "cancel")).toMatchObject({ state: "done" });
    expect(await at().submission.findTask({ taskId: id, tenant: "default" })).toMatchObject({
      processState: "undone",
      faultCode: "operator.cancel",
    });
  });

  test("pauses, resumes, and resolves tasks with one output", async () => {
    await halted(2);
    const pause = await create({ action: "pause" });
    expect(await apply(pause)).toMatchObject({ applied: 2, state: "done" });
    const again = await create({ action: "pause" });
    expect(await apply(again)).toMatchObject({ refused: 2, state: "done" });
    expect((await items(again)).map(({ code }) => code)).toEqual(
      Array(2).fill("task.already_paused"),
    );
    const resume = await create({ action: "resume" });
    expect(await apply(resume)).toMatchObject({ applied: 2, state: "done" });
    const silent = await create({ action: "resolve" });
    expect(await apply(silent)).toMatchObject({ refused: 2 });
    expect((await items(silent)).map(({ code }) => code)).toEqual(
      Array(2).fill("bulk.output_missing"),
    );
    const resolve = await create({ action: "resolve", output: null });
    expect(await apply(resolve)).toMatchObject({ applied: 2, state: "done" });
    expect(await violations()).toEqual([]);
  });

  test("with a task whose row the store refuses to change refuses that one, and goes on with the others", async () => {
    const [broken] = await halted(3);
    await at().db.query(
      `alter table state.events add constraint in_the_way check (task_id <> '${broken}' or action <> 'resubmit') not valid`,
    );
    const id = await create();
    for (let round = 0; round < 3; round += 1) await apply(id);
    await at().db.query("alter table state.events drop constraint in_the_way");
    expect(await items(id)).toMatchObject([
      { taskId: broken, outcome: "refused", code: "store.refused" },
      { outcome: "applied" },
      { outcome: "applied" },
    ]);
  });
});
