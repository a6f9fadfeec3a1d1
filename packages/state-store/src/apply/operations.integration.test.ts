import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  newTask,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { refused, work } from "../../test/replies.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  ({ db, submission, operations, scheduler } = await openTestStores(
    testWorkflow([{ name: "a" }, { name: "b", onFailure: "halt" }]),
  ));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts"));

const submit = (changes: Parameters<typeof submitOne>[1] = {}) => submitOne(submission, changes);
const version = async (taskId: string): Promise<number> =>
  (await submission.findTask({ taskId, tenant: "default" }))?.version ?? 0;
const violations = () => submission.findInvariantViolations({ batch: 10 });

describe("an operator", () => {
  const ann = { actor: "ann", note: "the customer called" };

  test("changes only the version that he has seen: a second click is refused", async () => {
    const taskId = await submit();
    const expectedVersion = await version(taskId);
    const reportedEvent = { taskId, expectedVersion, event: { kind: "paused" as const } };
    const clicks = await Promise.all(
      Array.from({ length: 10 }, () => operations.applyEvents([reportedEvent], ann)),
    );
    const outcomes = clicks.map(({ outcomes: [outcome] }) => outcome);
    expect(outcomes.filter((outcome) => outcome?.applied)).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome?.applied ? [] : [outcome?.reason]));
    expect(refusals).toEqual(Array(9).fill("version_changed"));
  });

  test("appears in the history with the reason that he gave", async () => {
    const taskId = await submit();
    await operations.applyEvents([{ taskId, event: { kind: "paused" } }], ann);
    await operations.applyEvents(
      [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
      ann,
    );
    const events = await submission.findEvents({ taskId });
    expect(events.filter(({ step, note }) => step === null && note !== null)).toMatchObject([
      { action: "pause", actor: "ann", note: ann.note },
      { action: "undo", reason: "operator.cancel", actor: "ann", note: ann.note },
      { action: "summarise", toState: "undone", actor: "ann" },
    ]);
  });

  test("pauses a task: nothing of it is claimed until he resumes it", async () => {
    const taskId = await submit();
    await operations.applyEvents([{ taskId, event: { kind: "paused" } }], ann);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: { by: "ann", reason: ann.note },
    });
    expect(await violations()).toEqual([]);
    await operations.applyEvents([{ taskId, event: { kind: "resumed" } }], ann);
    expect(await claimAll(scheduler)).toHaveLength(1);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: null,
    });
  });

  test.each([[{ x: 2 }], [null]])(
    "corrects the input of a step that failed: to %j",
    async (correctedInput) => {
      const taskId = await submit();
      await work(scheduler);
      await work(scheduler, refused);
      await operations.applyEvents(
        [
          {
            taskId,
            event: { kind: "resubmitted", step: "b", attempt: 1, inputChanged: true },
            correctedInput,
          },
        ],
        ann,
      );
      const refs = ["a", "b"].map((name) => ({ taskId, name }));
      const values = await scheduler.loadValues({ refs, most: 1_000 });
      expect(values.get(taskId)?.correctedInputs).toEqual(new Map([["b", correctedInput]]));
    },
  );

  test("sees which Agents still work on a task that he has undone", async () => {
    const taskId = await submit();
    const [claim] = await claimAll(scheduler);
    const { obsoleteAttempts } = await operations.applyEvents(
      [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
      ann,
    );
    expect(obsoleteAttempts).toEqual([{ taskId, step: "a", attempt: 1, token: claim?.token }]);
  });
});

test("the submission role may insert orders, and change none", async () => {
  const [submitted] = await submission.submitTasks([newTask()], { actor: "shop" });
  if (submitted?.kind !== "created") throw new Error("nothing was submitted");
  const denied = { code: "store.failed", message: expect.stringContaining("permission denied") };
  const { taskId } = submitted;
  const agent = { kind: "agent", name: "agent", actor: "shop", reason: "-" } as const;
  await expect(
    submission.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "shop" }),
  ).rejects.toMatchObject(denied);
  await expect(submission.pause(agent)).rejects.toMatchObject(denied);
});
