import type { DecisionContext } from "../src/decision.ts";
import { submit } from "../src/submit.ts";
import type { Task } from "../src/task.ts";
import {
  type ApprovalTerms,
  type CallDefinition,
  formatOf,
  type SignalTerms,
  type StepDefinition,
  type StepPolicy,
  type WaitTime,
  type WorkflowDefinition,
} from "../src/workflow-definition.ts";
import { planWorkflow } from "../src/workflow-plan.ts";

type GivenCall = Partial<CallDefinition> & { readonly name: string };

/** A step that waits, as tests write it down. */
type GivenWait = Partial<
  Pick<CallDefinition, "after" | "onlyIf"> & Pick<StepPolicy, "onFailure">
> & {
  readonly name: string;
  readonly wait: WaitTime;
};

/** A step that waits for a signal, which has its name unless another is given. */
type GivenSignal = Partial<Pick<CallDefinition, "after" | "onlyIf">> & {
  readonly name: string;
  readonly signal: Partial<SignalTerms>;
};

/** A step that people decide: one of `treasury` within a day, unless other terms are given. */
type GivenApproval = Partial<Pick<CallDefinition, "after" | "onlyIf">> & {
  readonly name: string;
  readonly approval: Partial<ApprovalTerms>;
};

export type GivenStep = GivenCall | GivenWait | GivenSignal | GivenApproval;

/** A definition for tests, whose steps differ from the ordinary in what is given. */
export function definitionOf(given: readonly GivenStep[]): WorkflowDefinition {
  const steps = given.map((step, index): StepDefinition => {
    const after = index === 0 ? [] : [given[index - 1]?.name ?? ""];
    if ("signal" in step) return signalStepOf(step, after);
    if ("approval" in step) return approvalStepOf(step, after);
    if (!("wait" in step)) return callOf(step, after);
    const { wait, ...rest } = step;
    return { kind: "wait", after, onlyIf: null, onFailure: "undo", ...rest, ...wait };
  });
  return {
    format: formatOf(steps),
    name: "test.v1",
    inputSchema: {},
    completeWithin: null,
    output: null,
    steps,
  };
}

const signalStepOf = (
  { signal, ...rest }: GivenSignal,
  after: readonly string[],
): StepDefinition => ({
  kind: "signal",
  after,
  onlyIf: null,
  onFailure: "undo",
  signal: rest.name,
  within: 86_400_000,
  onDeadline: "fail",
  ...rest,
  ...signal,
});

const approvalStepOf = (
  { approval, ...rest }: GivenApproval,
  after: readonly string[],
): StepDefinition => ({
  kind: "approval",
  after,
  onlyIf: null,
  audience: "treasury",
  quorum: 1,
  excludesSubmitter: false,
  excludes: [],
  within: 86_400_000,
  remindAfter: null,
  onDeadline: "reject",
  show: { $ref: "/input" },
  onFailure: "undo",
  ...rest,
  ...approval,
});

const callOf = (step: GivenCall, after: readonly string[]): CallDefinition => ({
  agent: "agent",
  operation: step.name,
  input: null,
  after,
  onlyIf: null,
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
  onFailure: "undo",
  undo: {
    operation: `undo-${step.name}`,
    startWithin: 30_000,
    completeWithin: 5_000,
    retry: { failures: 2, backoff: 1_000, max: 60_000 },
    coolDown: { wait: 60_000, times: null },
    onFailure: "halt",
  },
  ...step,
});

export const noon = Date.UTC(2026, 0, 1, 12);

export const at = (
  now: number,
  values: Readonly<Record<string, string>> = {},
): DecisionContext => ({
  now,
  random: () => 0,
  valueOf: (pointer) => values[pointer],
});

export const newTask = (
  definition: WorkflowDefinition,
  values: Readonly<Record<string, string>> = {},
): Task =>
  submit("9d2e1b2c-6f0e-4b64-9d55-0c7c1a1f0f11", planWorkflow(definition), at(noon, values)).task;
