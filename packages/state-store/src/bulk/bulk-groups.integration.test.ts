import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { bulkFixture, newBulkRequest, openTasks } from "../../test/bulk.ts";
import { claimAll, failed, submitOne } from "../../test/fixtures.ts";
import { work } from "../../test/replies.ts";

const { at, open, close, clear, apply, create, find, items, verify } = bulkFixture();
beforeAll(open);
afterAll(close);
beforeEach(clear);

/** Tasks whose first step was refused with this code. */
async function refusedWith(code: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await submitOne(at().submission));
  const answer: typeof failed = (claim) => failed(claim, { transient: false, code });
  await work(at().scheduler, answer);
  return ids;
}

test("a bulk operation on a group of failures touches no task of another group", async () => {
  const declined = await refusedWith("cards.declined", 3);
  const stolen = await refusedWith("cards.stolen", 2);
  const { operations, supervisor, scheduler } = at();
  while ((await supervisor.findStatisticsProgress()).isDue) await supervisor.rollUp();
  const span = { workflows: null, createdFrom: null, createdBefore: null };
  const { groups } = await operations.findFailures(span);
  const group = groups.find(({ faultCode }) => faultCode === "cards.declined");
  const tasks = { ...openTasks, fingerprint: group?.fingerprint ?? "" };
  const created = await operations.createBulkOperation({ tasks, request: newBulkRequest() });
  if (created.kind !== "created") throw new Error(created.kind);
  expect((await items(created.id)).map(({ taskId }) => taskId)).toEqual(declined);

  expect(await apply(created.id)).toMatchObject({ applied: 3, refused: 0 });
  await work(scheduler);
  expect(await verify(created.id)).toMatchObject({ state: "done" });
  const touched = "select distinct task_id from state.events where actor = 'ann' order by 1";
  expect((await at().db.query<{ task_id: string }>(touched)).map((row) => row.task_id)).toEqual(
    declined.toSorted(),
  );
  for (const taskId of stolen) {
    expect(await operations.findTask({ tenant: "default", taskId })).toMatchObject({
      processState: "halted",
    });
  }
});

test("a bulk operation that retries now ends the delays of its tasks, and succeeds once their steps are done", async () => {
  const { submission, scheduler } = at();
  const taskId = await submitOne(submission);
  const delayed: typeof failed = (claim) => failed(claim, { retryAfter: 3_600_000 });
  await work(scheduler, delayed);
  expect(await claimAll(scheduler)).toEqual([]);

  const id = await create({ action: "retryNow" });
  const found = (await items(id)).find((item) => item.taskId === taskId);
  expect(found).toMatchObject({ outcome: "waiting" });
  await apply(id);
  await work(scheduler);
  await verify(id, "retryNow");
  const after = (await items(id)).find((item) => item.taskId === taskId);
  expect(after).toMatchObject({ outcome: "succeeded", step: "a" });
  expect(await find(id)).toMatchObject({ applied: 0 });
});
