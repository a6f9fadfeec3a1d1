import { describe, expect, test } from "@jest/globals";
import { bandOfStep, rankOf } from "./due-order.ts";
import { bands, priorities } from "./priority.ts";
import { newStep, type Step } from "./step.ts";
import type { CallDefinition } from "./workflow-definition.ts";
import { type AgentPlan, planWorkflow } from "./workflow-plan.ts";

const now = 1_000;
const policy = {
  startWithin: 1_000,
  completeWithin: 5_000,
  retry: { failures: 1, backoff: 1_000, max: 1_000 },
  coolDown: null,
};
const definition: CallDefinition = {
  ...policy,
  name: "a",
  agent: "agent",
  operation: "a",
  input: null,
  after: [],
  onlyIf: null,
  undo: { ...policy, operation: "undo", onFailure: "halt" },
  onFailure: "undo",
};
const { steps } = planWorkflow({
  format: 1,
  name: "test.v1",
  inputSchema: {},
  steps: [definition],
  completeWithin: null,
  output: null,
});
const stepNamed = (name: string): Step => newStep(steps.get(name)!);
const plan = steps.get("a") as AgentPlan;
const pending = (notBefore: number): Step => ({
  ...newStep(plan),
  plan,
  processState: "pending",
  notBefore,
});

describe("the band of a step", () => {
  test.each(priorities)("is the priority of its task, if that is %s", (priority) => {
    expect(bands[bandOfStep(stepNamed("a"), { priority })]).toBe(priority);
  });

  test.each(priorities)("is the first for an undo, if its task is %s", (priority) => {
    expect(bandOfStep(stepNamed("a:undo"), { priority })).toBe(0);
  });
});

describe("the rank of a step", () => {
  const plain = { priority: "normal", fairnessKey: null } as const;

  test("is the time at which it is due", () => {
    expect(rankOf(pending(now - 5), plain, now)).toBe(now - 5);
  });

  test("is none before that", () => {
    expect(rankOf(pending(now + 1), plain, now)).toBeNull();
    expect(rankOf(stepNamed("a"), plain, now)).toBeNull();
  });

  test("is for the store to say if its task has a fairness key", () => {
    expect(rankOf(pending(now), { ...plain, fairnessKey: "ann" }, now)).toBeNull();
  });
});
