import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
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
beforeAll(async () => {
  ({ db, submission, operations, scheduler } = await openTestStores(
    testWorkflow([{ name: "a" }, { name: "b" }]),
    testWorkflow([{ name: "a" }], "other.v1"),
  ));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("pauses"));

const submit = (changes: Parameters<typeof submitOne>[1] = {}) => submitOne(submission, changes);

describe("a pause", () => {
  const request = { actor: "ann", reason: "maintenance" };

  test("of an Agent applies from the next claim until it is lifted, and exists once", async () => {
    await submit();
    const agent = { kind: "agent" as const, name: "agent", ...request };
    const clicks = await Promise.all(Array.from({ length: 10 }, () => operations.pause(agent)));
    expect(clicks.filter(Boolean)).toHaveLength(1);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await operations.resume(agent)).toBe(true);
    expect(await operations.resume(agent)).toBe(false);
    expect(await claimAll(scheduler)).toHaveLength(1);
    expect(await operations.findPauses({ before: null, most: 10 })).toMatchObject([
      { ...agent, resumedBy: "ann" },
    ]);
  });

  test("of a workflow does not affect other workflows, and loses no step of its own", async () => {
    for (let count = 0; count < 5; count += 1) await submit({ workflow: "other.v1" });
    const kept = await submit();
    const other = { kind: "workflow" as const, name: "other.v1", ...request };
    await operations.pause(other);
    expect((await claimAll(scheduler)).map(({ taskId }) => taskId)).toEqual([kept]);

    expect((await scheduler.stageDueSteps()).hasPauses).toBe(true);
    expect(await scheduler.applyPauses()).toBe(5);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await scheduler.stageDueSteps()).toMatchObject({ nextIn: null });

    await operations.resume(other);
    expect(await scheduler.applyPauses()).toBe(5);
    expect(await claimAll(scheduler)).toHaveLength(5);
    expect(await scheduler.applyPauses()).toBe(0);
    expect((await scheduler.stageDueSteps()).hasPauses).toBe(false);
  });
});
