import { openTaskStates } from "@holdfast/domain";
import type { Overview, TaskState } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { taskLooks } from "../../parts/state-looks.ts";

const open: readonly TaskState[] = openTaskStates;
const ended: readonly TaskState[] = ["processed", "compensated"];

/** How many tasks are in each state. Each leads to the list of them. */
export function StateChips({ overview: { states } }: { readonly overview: Overview }) {
  return (
    <div className="states">
      <Group name="Now" of={open} states={states} query="" />
      <Group name="Last 24 h" of={ended} states={states} query="&within=24h" />
    </div>
  );
}

interface GroupProps {
  readonly name: string;
  readonly of: readonly TaskState[];
  readonly states: Overview["states"];
  readonly query: string;
}

function Group({ name, of, states, query }: GroupProps) {
  return (
    <nav className="state-group" aria-label={`Tasks: ${name}`}>
      <span className="muted">{name}</span>
      {of.map((state) => {
        const { word, tone, icon } = taskLooks[state];
        return (
          <Link
            key={state}
            to={`/tasks?state=${state}${query}`}
            className={`state-chip tone-${tone}`}
            data-none={states[state] === 0 || undefined}
          >
            <Icon name={icon} className={`tone-${tone}`} />
            <strong>{formatCount(states[state])}</strong>
            {word}
          </Link>
        );
      })}
    </nav>
  );
}
