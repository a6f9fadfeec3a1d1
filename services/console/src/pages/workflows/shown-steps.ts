import {
  type ApprovalDefinition,
  isCall,
  type SignalDefinition,
  type WaitDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { formatDuration } from "../../parts/format.ts";
import type { ShownStep } from "../../parts/workflow-graph/workflow-graph.tsx";

/** The steps of a workflow as its picture shows them. */
export const shownSteps = ({ steps }: WorkflowDefinition): readonly ShownStep[] =>
  steps.map((step) => ({
    name: step.name,
    after: step.after,
    note: isCall(step) ? `${step.agent}.${step.operation}` : waitWords(step),
    style: null,
    isUndoable: isCall(step) && step.undo !== null,
    isConditional: step.onlyIf !== null,
  }));

/** What a step waits for, and how long, in words. */
export function waitWords(step: WaitDefinition | SignalDefinition | ApprovalDefinition): string {
  if ("signal" in step) return `waits for signal ${step.signal}, ${limitOf(step)}`;
  if ("audience" in step) {
    const { quorum, audience } = step;
    return `waits for ${quorum === 1 ? "" : `${quorum} of `}${audience} to approve, ${limitOf(step)}`;
  }
  return "for" in step ? `waits ${formatDuration(step.for)}` : "waits until a value says";
}

const limitOf = ({ within }: Pick<SignalDefinition, "within">): string =>
  within === null ? "for ever" : `within ${formatDuration(within)}`;
