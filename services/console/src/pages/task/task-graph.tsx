import { useMemo } from "react";
import { useWorkflow } from "../../api/queries.ts";
import type { Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { lookOf, stepLooks } from "../../parts/state-looks.ts";
import { stepsOfDefinition } from "../../parts/workflow-graph/read-definition.ts";
import { WorkflowGraph } from "../../parts/workflow-graph/workflow-graph.tsx";
import type { Selected } from "./timeline/timeline.tsx";

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
    return stepsOfDefinition(data?.definition).map((step) => {
      const undo = states.get(`${step.name}:undo`);
      const state = states.get(step.name);
      const isUndone = undo === "processed";
      const look = state === undefined ? null : lookOf(stepLooks, state);
      const undone = { word: "Undone", tone: "undo", icon: "undo" } as const;
      return { ...step, look: isUndone ? undone : look };
    });
  }, [data, task.steps]);
  return (
    <section className="card" aria-labelledby="graph-title">
      <header className="card-head">
        <h2 id="graph-title">Workflow</h2>
        <Link to={workflowPath(task.workflow)} className="muted">
          {task.workflow}
        </Link>
      </header>
      {data === undefined && error !== null && <ProblemNote error={error} />}
      {steps.length > 0 && (
        <WorkflowGraph
          steps={steps}
          selected={selected?.replace(/:undo$/, "") ?? null}
          onSelect={(step) => onSelect({ step, attempt: null })}
          label={`Steps of ${task.workflow}`}
        />
      )}
    </section>
  );
}
