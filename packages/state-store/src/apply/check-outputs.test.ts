import { callsOf, type ReportedTaskEvent, type VersionedTask } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { testWorkflow } from "../../test/fixtures.ts";
import { untilQuick } from "../postgres/transaction.ts";
import { contractsOf, storedWorkflow } from "../workflows/workflow-catalog.ts";
import { checkOutputs } from "./apply-together.ts";

const [step] = callsOf(testWorkflow([{ name: "a" }]));
const definition = {
  ...testWorkflow([{ name: "a" }]),
  outputs: {
    [`${step?.agent}.${step?.operation}`]: {
      items: { anyOf: [...Array.from({ length: 20 }, () => ({ type: "string" })), {}] },
    },
  },
};
const { plan } = storedWorkflow(definition);

const costly = Array.from({ length: 50_000 }, () => 1);
const tasks = ["1", "2", "3", "4", "5"].map(
  (taskId) => ({ task: { taskId, workflow: plan } }) as unknown as VersionedTask,
);
const replies = (outputOf: (index: number) => readonly (string | number)[]) =>
  new Map(
    tasks.map(({ task: { taskId } }, index): [string, readonly ReportedTaskEvent[]] => {
      const event = { kind: "completed", step: "a", attempt: 1, token: "t", agent: "x" } as const;
      return [taskId, [{ taskId, event, output: outputOf(index) }]];
    }),
  );

test("outputs that are cheap to check are checked at once", () => {
  const byTask = replies(() => ["yes"]);
  expect(checkOutputs().faultsOf(tasks, byTask).size).toBe(0);
});

test("outputs that are expensive to check are left for later, and each has a turn of the event loop of its own", async () => {
  const byTask = replies((index) => (index === 4 ? ["yes"] : costly));
  const checks = checkOutputs();
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 0);
  let transactions = 0;
  const faults = await untilQuick(async () => {
    transactions += 1;
    return checks.faultsOf(tasks, byTask);
  });
  clearInterval(turn);
  expect(transactions).toBe(2);
  expect(turns).toBeGreaterThanOrEqual(2);
  expect([...faults.keys()].map(({ taskId }) => taskId)).toEqual(["1", "2", "3", "4"]);
  expect([...faults.values()][0]).toMatchObject({ code: "step.output_too_costly" });
});

test("an output with a contract that takes long to compile is checked between two transactions", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: "string" }]),
  );
  const [operation = ""] = Object.keys(definition.outputs);
  const { plan: wide } = storedWorkflow({
    ...definition,
    outputs: { [operation]: { properties } },
  });
  const one = { task: { taskId: "1", workflow: wide } } as unknown as VersionedTask;
  const event = { kind: "completed", step: "a", attempt: 1, token: "t", agent: "x" } as const;
  const reported = { taskId: "1", event, output: { p7: 1 } };
  const checks = checkOutputs();
  let transactions = 0;
  const faults = await untilQuick(async () => {
    transactions += 1;
    return checks.faultsOf([one], new Map([["1", [reported]]]));
  });
  expect(transactions).toBe(2);
  expect(faults.get(reported)).toMatchObject({
    code: "step.output_invalid",
    message: "The output at /p7 must be string",
  });
});

test("no transaction takes more steps than it may, a schema to compile and one more check", async () => {
  // Each has a schema that is not compiled yet, and a value that takes all the steps of a check.
  const plans = Array.from({ length: 12 }, () => storedWorkflow(definition).plan);
  const many = plans.map(
    (workflow, index) => ({ task: { taskId: `${index}`, workflow } }) as unknown as VersionedTask,
  );
  const byTask = new Map(
    many.map(({ task: { taskId } }): [string, readonly ReportedTaskEvent[]] => {
      const event = { kind: "completed", step: "a", attempt: 1, token: "t", agent: "x" } as const;
      return [taskId, [{ taskId, event, output: costly }]];
    }),
  );
  const taken = (): number => plans.reduce((sum, one) => sum + contractsOf(one).stepsTaken(), 0);
  const checks = checkOutputs();
  let most = 0;
  const faults = await untilQuick(async () => {
    const before = taken();
    try {
      return checks.faultsOf(many, byTask);
    } finally {
      most = Math.max(most, taken() - before);
    }
  });
  expect(faults.size).toBe(12);
  // As steps take 25 to 60 ns, that is a quarter of the 200 ms that rows may be locked.
  expect(most).toBeLessThanOrEqual(900_000);
});
