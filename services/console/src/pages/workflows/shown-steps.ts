import type { WorkflowDefinition } from "@holdfast/domain";
import type { ShownStep } from "../../parts/workflow-graph/workflow-graph.tsx";

/** The steps of a workflow as its picture shows them. */
export const shownSteps = ({ steps }: WorkflowDefinition): readonly ShownStep[] =>
  steps.map(({ name, after, agent, operation, undo, onlyIf }) => ({
    name,
    after,
    note: `${agent}.${operation}`,
    style: null,
    isUndoable: undo !== null,
    isConditional: onlyIf !== null,
  }));
