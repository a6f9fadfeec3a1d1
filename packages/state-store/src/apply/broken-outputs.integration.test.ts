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
  ({ db, submission, scheduler } = await openTestStores());
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("rejected_replies"));

const submit = (count: number, workflow: string) => submitMany(submission, count, { workflow });
const apply = (...reportedEvents: Parameters<StateStore["applyEvents"]>[0]) =>
  scheduler.applyEvents(reportedEvents, { actor: "scheduler-1" });

describe("an output that breaks the contract of its operation", () => {
  const outputs = {
    "agent.a": { type: "object", properties: { ok: { type: "string" } }, required: ["ok"] },
  };
  const workflow = { ...testWorkflow([{ name: "a" }, { name: "b" }], "held.v1"), outputs };

  test("fails its step for good, is not kept with it, and spoils no other of the batch", async () => {
    await submission.registerWorkflow(workflow);
    await submit(2, "held.v1");
    const claims = await claimAll(scheduler);
    const { outcomes } = await apply(
      complete(claims[0]!, { ok: 5 }),
      complete(claims[1]!, { ok: "yes" }),
    );
    expect(outcomes).toMatchObject([
      { applied: true, outputFault: { code: "step.output_invalid" } },
      { applied: true },
    ]);
    expect(outcomes[1]).not.toHaveProperty("outputFault");
    const steps = await db.query(
      `select process_state, steps.fault_code, may_have_effect, fault_detail, output
         from state.steps join state.step_payloads using (task_id, name)
        where name = 'a' order by process_state`,
    );
    expect(steps).toEqual([
      {
        process_state: "error",
        fault_code: "step.output_invalid",
        may_have_effect: true,
        fault_detail: "The output at /ok must be string",
        output: null,
      },
      {
        process_state: "processed",
        fault_code: null,
        may_have_effect: expect.any(Boolean),
        fault_detail: null,
        output: { ok: "yes" },
      },
    ]);
  });

  test("is judged by the stored contract: a definition of an earlier release is used unchanged", async () => {
    const { outputs: _, ...earlier } = { ...workflow, name: "earlier.v1" };
    await submission.registerWorkflow(earlier);
    await submission.registerWorkflow({ ...earlier, outputs });
    expect((await scheduler.findWorkflow("earlier.v1"))?.definition).toEqual(earlier);
  });

  test("cannot be changed under the same name, but may be left out", async () => {
    await submission.registerWorkflow(workflow);
    const { outputs: _, ...earlier } = workflow;
    await submission.registerWorkflow(earlier);
    const changed = { ...workflow, outputs: { "agent.a": { type: "null" } } };
    await expect(submission.registerWorkflow(changed)).rejects.toMatchObject({
      code: "workflow.changed",
    });
  });
});

describe("a workflow", () => {
  const pattern = { type: "object", properties: { ok: { type: "string", pattern: "^(a+)\\1$" } } };
  const outputs = { "agent.a": pattern };

  test("is not stored with a pattern that cannot be matched in linear time", async () => {
    const refused = { ...testWorkflow([{ name: "a" }], "refused.v1"), outputs };
    await expect(submission.registerWorkflow(refused)).rejects.toMatchObject({
      code: "workflow.invalid",
      message: expect.stringMatching(
        /\/outputs\/agent\.a\/properties\/ok\/pattern the pattern refers back to a group/,
      ),
    });
  });

  test("that hands a value that may be missing to where it must be there is not stored, but may have been", async () => {
    const plain = testWorkflow([{ name: "a" }], "missing.v1");
    const [a] = plain.steps;
    const missing = {
      ...plain,
      inputSchema: { type: "object", properties: { note: { type: "string" } } },
      steps: [{ ...a!, input: { note: { $ref: "/input/note" } } }],
      inputs: { "agent.a": { type: "object", required: ["note"] } },
    };
    await expect(submission.registerWorkflow(missing)).rejects.toMatchObject({
      code: "workflow.invalid",
      message: expect.stringMatching(/\/steps\/0\/input\/note takes \/input\/note, which may be/),
    });
    await submission.registerWorkflow(plain);
    const stored = JSON.stringify(missing);
    await db.query(
      `update state.workflows set definition = '${stored}'::jsonb where name = 'missing.v1'`,
    );
    expect(await submission.registerWorkflow(missing)).toBe("same");
  });

  test("that an earlier release stored with a pattern that is refused today takes tasks, and is registered again", async () => {
    const stored = testWorkflow([{ name: "a" }], "stored.v1");
    await submission.registerWorkflow(stored);
    const changed = JSON.stringify({ ...stored, outputs });
    await db.query(
      `update state.workflows set definition = '${changed}'::jsonb where name = 'stored.v1'`,
    );
    await submission.registerWorkflow({ ...stored, outputs });
    await submit(1, "stored.v1");
    const [claim] = await claimAll(scheduler);
    const { outcomes } = await apply(complete(claim!, { ok: "b" }));
    expect(outcomes).toMatchObject([{ applied: true }]);
    expect(outcomes[0]).not.toHaveProperty("outputFault");
  });
});

test("outputs that take long to check fail their own steps, and the others of the batch are recorded", async () => {
  const items = { anyOf: [...Array.from({ length: 100 }, () => ({ type: "string" })), {}] };
  const outputs = { "agent.a": { items } };
  await submission.registerWorkflow({ ...testWorkflow([{ name: "a" }], "costly.v1"), outputs });
  await submit(5, "costly.v1");
  const claims = await claimAll(scheduler);
  const costly = Array.from({ length: 50_000 }, () => 1);
  const { outcomes } = await apply(
    ...claims.map((claim, index) => complete(claim, index === 4 ? ["yes"] : costly)),
  );
  const fault = { applied: true, outputFault: { code: "step.output_too_costly" } };
  expect(outcomes).toMatchObject([fault, fault, fault, fault, { applied: true }]);
  expect(outcomes[4]).not.toHaveProperty("outputFault");
});
