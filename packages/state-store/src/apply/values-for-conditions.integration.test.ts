import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  claimAll,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { complete } from "../../test/replies.ts";
import type { StateStore } from "../state-store.ts";

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
const steps = (name: string) =>
  `select 1 from state.steps where name = '${name}' and process_state = 'pending'`;

/** Completes the first steps of so many tasks with large inputs, all in one transaction. */
async function completeAll(count: number, workflow: string): Promise<void> {
  await submitMany(submission, count, { workflow, input: large });
  const claims = (await claimAll(scheduler)).filter((claim) => claim.workflow === workflow);
  expect(claims).toHaveLength(count);
  const actor = "scheduler-1";
  try {
    await scheduler.applyEvents(
      claims.map((claim) => complete(claim)),
      { actor },
    );
  } finally {
    for (const claim of claims) await scheduler.applyEvents([complete(claim)], { actor });
  }
}

test("conditions that look at more than a transaction may parse fail their own batch", async () => {
  await expect(completeAll(30, "looking.v1")).rejects.toMatchObject({
    code: "store.value_too_large",
    transient: false,
  });
  expect(await db.query(steps("b"))).toHaveLength(30);
});

test("what no condition looks at is not loaded for them", async () => {
  await completeAll(30, "elsewhere.v1");
});
