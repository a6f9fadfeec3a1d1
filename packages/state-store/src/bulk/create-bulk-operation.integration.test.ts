import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { bulkFixture, newBulkRequest, openTasks } from "../../test/bulk.ts";
import { submitOne } from "../../test/fixtures.ts";
import { work } from "../../test/replies.ts";

const { at, open, close, clear, apply, create, find, halted, items, verify } = bulkFixture();
beforeAll(open);
afterAll(close);
beforeEach(clear);

describe("creating a bulk operation", () => {
  test("writes it once for one key, and refuses the key for another one", async () => {
    await halted(1);
    const asked = { tasks: openTasks, request: newBulkRequest({ key: "k-1" }) };
    const created = await Promise.all(
      Array.from({ length: 5 }, () => at().operations.createBulkOperation(asked)),
    );
    expect(created.map(({ kind }) => kind).toSorted()).toEqual([
      "created",
      ...Array(4).fill("replayed"),
    ]);
    const other = await at().operations.createBulkOperation({
      tasks: openTasks,
      request: newBulkRequest({ key: "k-1", hash: "other" }),
    });
    expect(other).toEqual({ kind: "conflict" });
  });

  test("is refused while as many are open as may be, however many come at once", async () => {
    await halted(1);
    const created = await Promise.all(
      Array.from({ length: 60 }, () =>
        at().operations.createBulkOperation({ tasks: openTasks, request: newBulkRequest() }),
      ),
    );
    expect(created.filter(({ kind }) => kind === "created")).toHaveLength(20);
    expect(created.filter(({ kind }) => kind === "tooManyOpen")).toHaveLength(40);
  });

  test("on no task at all makes one that is done", async () => {
    expect(await find(await create({ canary: 10 }))).toMatchObject({ state: "done", matched: 0 });
  });

  test("with a canary that is larger than the operation awaits all of it", async () => {
    await halted(2);
    const id = await create({ canary: 100 });
    expect(await apply(id)).toMatchObject({ applied: 2, state: "canary" });
    await work(at().scheduler);
    expect(await verify(id)).toMatchObject({ state: "done" });
  });
});

test("a forecast says what an operation would do, why others are refused, and changes nothing", async () => {
  const ids = await halted(3);
  const fresh = await submitOne(at().submission);
  const asked = { action: "resubmit", step: null, output: undefined } as const;
  expect(await at().operations.forecastBulkOperation({ tasks: openTasks, asked })).toEqual({
    matches: 4,
    allowed: 3,
    refused: [{ reason: "task.nothing_failed", count: 1 }],
    sample: ids,
  });
  const pausing = await at().operations.forecastBulkOperation({
    tasks: openTasks,
    asked: { ...asked, action: "pause" },
  });
  expect(pausing).toMatchObject({ allowed: 4, sample: [...ids, fresh] });
  expect(await at().db.query("select from state.events where actor = 'ann'")).toEqual([]);
  expect(await at().db.query("select from state.bulk_operations")).toEqual([]);
});

test("ended operations are deleted with their items once they are older than the retention", async () => {
  await halted(3);
  const old = await create({ action: "pause" });
  await apply(old);
  const young = await create({ action: "resume", rate: 0.01 });
  await at().db.query(
    "update state.bulk_operations set ended_at = now() - interval '2 days' where id = $1",
    [old],
  );
  const keeping = { keep: 86_400_000, batch: 2 };
  expect(await at().supervisor.deleteOldBulkOperations(keeping)).toBe(2);
  expect(await at().supervisor.deleteOldBulkOperations(keeping)).toBe(2);
  expect(await at().supervisor.deleteOldBulkOperations(keeping)).toBe(0);
  expect(await find(old)).toBeNull();
  expect(await items(old)).toEqual([]);
  expect(await find(young)).toMatchObject({ matched: 3 });
});
