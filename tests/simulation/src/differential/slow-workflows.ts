import {
  type CallDefinition,
  isCall,
  type StepDefinition,
  type StepPolicy,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { definitions, sharesKeys } from "../workflows.ts";

/**
 * One store knows one remote service of each Agent: those that share keys have other names here.
 */
function renamed(definition: WorkflowDefinition): WorkflowDefinition {
  if (definition.remotes === undefined || !sharesKeys(definition)) return definition;
  const text = JSON.stringify(definition).replaceAll("north", "east").replaceAll("south", "west");
  return JSON.parse(text) as WorkflowDefinition;
}

const extension = ({ extendUpTo }: Pick<StepPolicy, "extendUpTo">) =>
  extendUpTo === undefined ? {} : { extendUpTo: 3_000_000 };

/**
 * A workflow with all its limits in minutes, so that no time passes but what the test lets pass.
 */
export function slowed(definition: WorkflowDefinition): WorkflowDefinition {
  const limits = {
    startWithin: 1_200_000,
    completeWithin: 600_000,
    retry: { failures: 2, backoff: 600_000, max: 900_000 },
  };
  return {
    ...definition,
    completeWithin: definition.completeWithin === null ? null : 1_200_000,
    steps: definition.steps.map((step, index) =>
      isCall(step) ? { ...step, ...slowedCall(step, limits) } : slowedWait(step, index),
    ),
  };
}

/**
 * Each at an instant and with a signal of its own: which of two that become due together is the
 * first is left to the database.
 */
function slowedWait(step: Exclude<StepDefinition, CallDefinition>, index: number): StepDefinition {
  const length = 600_000 + 1_000 * index;
  if (step.kind === "signal") {
    return { ...step, signal: step.name, within: step.within === null ? null : length };
  }
  if (step.kind === "approval") {
    const within = step.within === null ? null : length;
    return { ...step, within, remindAfter: step.remindAfter && 150_000 + 1_000 * index };
  }
  return "for" in step ? { ...step, for: length } : step;
}

const slowedCall = (
  step: CallDefinition,
  limits: Pick<StepPolicy, "startWithin" | "completeWithin" | "retry">,
) => ({
  ...limits,
  ...extension(step),
  coolDown: step.coolDown && { ...step.coolDown, wait: 600_000 },
  undo: step.undo && {
    ...step.undo,
    ...limits,
    ...extension(step.undo),
    coolDown: { wait: 600_000, times: 1 },
  },
});

/** Each step that waits for a signal has one of its own name, with the same schema as before. */
function withOwnSignals(definition: WorkflowDefinition): WorkflowDefinition {
  const { signals = {}, steps } = definition;
  const own = steps.flatMap((step) =>
    step.kind === "signal" ? [[step.name, signals[step.signal]!] as const] : [],
  );
  return own.length === 0 ? definition : { ...definition, signals: Object.fromEntries(own) };
}

export const slow = [...new Set(definitions)].map(renamed).map(withOwnSignals).map(slowed);
