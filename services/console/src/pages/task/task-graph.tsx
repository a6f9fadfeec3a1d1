import type { WorkflowDefinition } from "@holdfast/domain";
import { useMemo } from "react";
import { useWorkflow } from "../../api/operations-queries.ts";
import type { Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { lookOf, stepLooks } from "../../parts/state-looks.ts";
import { WorkflowGraph } from "../../parts/workflow-graph/workflow-graph.tsx";
import { shownSteps } from "../workflows/shown-steps.ts";
import type { Selected } from "./timeline/placed-lanes.ts";

interface Props {
  readonly task: Task;
  readonly selected: string | null;
  readonly onSelect: (selected: Selected) => void;
}

/** The workflow of the task, with how each step stands. */
export function TaskGraph({ task, selected, onSelect }: Props) {
  const { data, error } = useWorkflow(task.workflow);
  const steps = useMemo(() => {
    const states = new Map(task.steps.map(({ name, processState }) => [name, processState]));
    if (data === undefined) return [];
    // The service stores valid definitions only.
    return shownSteps(data.definition as unknown as WorkflowDefinition).map((step) => {
      const undo = states.get(`${step.name}:undo`);
      const state = states.get(step.name);
      const isUndone = undo === "processed";
      const look = state === undefined ? null : lookOf(stepLooks, state);
      const undone = { word: "Undone", tone: "undo", icon: "undo" } as const;
      return { ...step, look: isUndone ? undone : look };
    });
  }, [data, task.steps]);
  return (
    <Section title="Workflow" note={<Link to={workflowPath(task.workflow)}>{task.workflow}</Link>}>
      {data === undefined && error !== null && <ProblemNote error={error} />}
      {steps.length > 0 && (
        <WorkflowGraph
          steps={steps}
          selected={selected?.replace(/:undo$/, "") ?? null}
          onSelect={(step) => onSelect({ step, attempt: null })}
          label={`Steps of ${task.workflow}`}
        />
      )}
    </Section>
  );
}
