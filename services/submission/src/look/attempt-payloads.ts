import { type Json, lookupIn, resolveTemplate, type WorkflowDefinition } from "@holdfast/domain";
import type { StepLimits, TaskRecord } from "@holdfast/state-store";

interface Sources {
  readonly task: Pick<TaskRecord, "input" | "steps">;
  readonly definition: WorkflowDefinition;
  readonly limits: readonly StepLimits[];
}

/**
 * What the request of a step holds, as it is made of the definition and of what the steps before it returned; null
 * stands for what they have not returned yet. Of an undo: what the step was given, and what it returned.
 */
export function attemptInputs({ task, definition, limits }: Sources): (step: string) => Json {
  const outputs = new Map(task.steps.map(({ name, output }) => [name, output]));
  const lookup = lookupIn({ input: task.input, outputs });
  const corrected = new Map(limits.map(({ name, input }) => [name, input]));
  const inputOf = (name: string): Json => {
    const template = definition.steps.find((step) => step.name === name)?.input;
    return (
      corrected.get(name) ?? (template === undefined ? null : resolveTemplate(template, lookup))
    );
  };
  return (step) => {
    const call = step.replace(/:undo$/, "");
    return call === step
      ? inputOf(step)
      : { input: inputOf(call), output: outputs.get(call) ?? null };
  };
}
