import { useWorkflowCount } from "../../api/operations-queries.ts";
import type { TaskState } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/section.tsx";
import { taskLooks } from "../../parts/state-looks.ts";

const states: readonly TaskState[] = [
  "pending",
  "processing",
  "compensating",
  "error",
  "processed",
  "compensated",
];

/** How many tasks of this version are in each state; each leads to their list. */
export function WorkflowTasks({ name }: { readonly name: string }) {
  return (
    <Section
      title="Tasks"
      end={<Link to={`/failures?${new URLSearchParams({ workflow: name })}`}>Failures</Link>}
    >
      <ul className="counts">
        {states.map((state) => (
          <StateCount key={state} workflow={name} state={state} />
        ))}
      </ul>
    </Section>
  );
}

function StateCount({ workflow, state }: { readonly workflow: string; readonly state: TaskState }) {
  const { data, error } = useWorkflowCount(workflow, state);
  const { word, icon, tone } = taskLooks[state];
  return (
    <li>
      <Link to={`/tasks?${new URLSearchParams({ state, workflow })}`} className="count">
        <span className="count-word">
          <Icon name={icon} className={`tone-${tone}`} />
          {word}
        </span>
        <strong>
          {data === undefined
            ? error === null
              ? "…"
              : "–"
            : `${formatCount(data.count)}${data.complete ? "" : "+"}`}
        </strong>
      </Link>
    </li>
  );
}
