import { afterAll, beforeAll, expect, test } from "@jest/globals";
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
    testWorkflow(
      [{ name: "a" }, { name: "b", onlyIf: { exists: { $ref: "/input/0" } } }, { name: "c" }],
      "looking.v1",
    ),
    testWorkflow(
      [{ name: "a" }, { name: "b", onlyIf: { exists: { $ref: "/steps/a/x" } } }],
      "elsewhere.v1",
    ),
  ));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

/** 200 kB. */
const large = ["x".repeat(200_000)];

test.each([
  [
    "that look at more than a transaction may parse are evaluated task by task",
    "looking.v1",
    30,
    30,
  ],
  ["that look at nothing large are evaluated together", "elsewhere.v1", 30, 1],
  ["of few tasks are evaluated together", "looking.v1", 10, 1],
])("conditions %s", async (_, workflow, count, expected) => {
  await submitMany(submission, count, { workflow, input: large });
  const claims = (await claimAll(scheduler)).filter(
    (claim) => claim.workflow === workflow && claim.name === "a",
  );
  const actor = "scheduler-1";
  const { outcomes } = await scheduler.applyEvents(
    claims.map((claim) => complete(claim)),
    { actor },
  );
  expect(outcomes).toHaveLength(count);
  expect(outcomes.every(({ applied }) => applied)).toBe(true);
  const ids = claims.map(({ taskId }) => `'${taskId}'`);
  const transactions = await db.query(
    `select distinct xmin::text from state.steps where name = 'a' and task_id in (${ids.join()})`,
  );
  expect(transactions).toHaveLength(expected);
});
