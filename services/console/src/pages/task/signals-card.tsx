import { useTaskPart } from "../../api/queries.ts";
import type { Signal, Signals, Task } from "../../api/types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

/** Milliseconds between two questions: that a signal came is no move of its task. */
const pollInterval = 5_000;

const columns: readonly TableColumn<Signal>[] = [
  { id: "name", header: "Signal", cell: ({ name }) => name },
  { id: "id", header: "Id", cell: ({ id }) => <code title={id}>{id}</code> },
  { id: "at", header: "Came", cell: ({ at }) => <Time at={at} /> },
  { id: "sentBy", header: "From", cell: ({ sentBy }) => <span title={sentBy}>{sentBy}</span> },
  { id: "takenBy", header: "Taken by", cell: takenBy },
  {
    id: "payload",
    header: "Carries",
    isText: true,
    cell: ({ payload, name, id }) => (
      <JsonView value={payload} label={`payload of ${name} ${id}`} />
    ),
  },
];

function takenBy({ takenBy: step, isLate }: Signal) {
  if (isLate) return <span className="tone-warn">too late</span>;
  return step ?? <span className="muted">no step yet</span>;
}

/** The signals that were sent to a task, which step took each, and what came too late. */
export function SignalsCard({ task: { id, finishedAt } }: { readonly task: Task }) {
  const { data, error } = useTaskPart<Signals>(
    id,
    "signals",
    finishedAt === null ? pollInterval : false,
  );
  const note =
    data === undefined
      ? undefined
      : `${data.next === null ? "" : "more than "}${formatCount(data.items.length)}`;
  return (
    <Section title="Signals" note={note}>
      {data === undefined && (error === null ? <Loading /> : <ProblemNote error={error} />)}
      {data?.items.length === 0 && <p className="card-none">No signal was sent to this task.</p>}
      {data !== undefined && data.next !== null && (
        <p className="card-none">
          These are the first. All of them: <code>holdfast tasks signals {id}</code>
        </p>
      )}
      {data !== undefined && data.items.length > 0 && (
        <DataTable
          name="signals"
          label="Signals of the task"
          rows={data.items}
          columns={columns}
          keyOf={({ name, id: signal }) => `${name} ${signal}`}
        />
      )}
    </Section>
  );
}
