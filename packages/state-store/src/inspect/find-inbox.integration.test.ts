import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import type { StateStore } from "../roles.ts";
import { signalTask } from "../submit/signal-in-transaction.ts";

let app: TestApplication;
let scheduler: StateStore;
beforeAll(async () => {
  app = await openTestApplication();
  scheduler = await app.db.open("scheduler");
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});
beforeEach(() => app.clear());

const enqueue = async (): Promise<string> => {
  const { rows } = await app.application.query<{ id: string }>(
    `select state.enqueue_submission('{"workflow": "trip", "input": {"x": 1}}')::text as id`,
  );
  return rows[0]!.id;
};
const refuse = (taskId: string, code: string) =>
  app.store.refuseEnqueued([{ taskId, code, detail: "x", errors: [], notification: null }]);

test("what waits in the inbox is counted, with its age, for operators and in metrics", async () => {
  expect(await app.operations.findInbox({ within: 60_000 })).toEqual({
    waiting: 0,
    waitingFor: null,
    refused: [],
  });
  const fleet = () => scheduler.findFleetFacts({ lanes: [] });
  expect(await fleet()).toMatchObject({ enqueued: 0, oldestEnqueuedAge: null });
  await enqueue();
  await app.db.query("update state.inbox set enqueued_at = enqueued_at - interval '1 hour'");
  await enqueue();
  const { waiting, waitingFor } = await app.operations.findInbox({ within: 60_000 });
  expect([waiting, waitingFor! >= 3_600_000]).toEqual([2, true]);
  const { enqueued, oldestEnqueuedAge } = await fleet();
  expect([enqueued, oldestEnqueuedAge! >= 3_600_000]).toEqual([2, true]);
});

test("a signal that waits is in the metrics of the inbox, and one that was refused is counted", async () => {
  const payload = { receipt: "r-1" };
  await signalTask(app.application, { taskId: await enqueue(), name: "paid", id: "s-1", payload });
  await app.db.query("delete from state.inbox");
  const age = "update state.signal_inbox set enqueued_at = enqueued_at - interval '1 hour'";
  await app.db.query(age);
  const { enqueued, oldestEnqueuedAge } = await scheduler.findFleetFacts({ lanes: [] });
  expect([enqueued, oldestEnqueuedAge! >= 3_600_000]).toEqual([1, true]);
  const [{ number }] = (await app.db.query<{ number: string }>(
    "select number::text as number from state.signal_inbox",
  )) as [{ number: string }];
  const refusal = { code: "signal.unknown", detail: "x", errors: [], notification: null };
  await app.store.refuseEnqueuedSignals([{ number, ...refusal }]);
  expect(await app.operations.findInbox({ within: 60_000 })).toMatchObject({
    waiting: 0,
    refused: [{ kind: "signal", code: "signal.unknown", number: 1 }],
  });
});

test("what was refused lately is counted by application and code", async () => {
  const ids = [await enqueue(), await enqueue(), await enqueue(), await enqueue()];
  for (const [index, id] of ids.entries()) {
    await refuse(id, index < 2 ? "task.invalid" : "workflow.retired");
  }
  await app.db.query("update state.refusals set at = at - interval '1 hour' where task_id = $1", [
    ids[0],
  ]);
  const { refused } = await app.operations.findInbox({ within: 60_000 });
  expect(refused.map(({ kind, code, number }) => [kind, code, number])).toEqual([
    ["submission", "workflow.retired", 2],
    ["submission", "task.invalid", 1],
  ]);
});
