import type { QueueSeen } from "../../api/operations-types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";

const count = (value: number | null) =>
  value === null ? <span className="muted">–</span> : formatCount(value);

const columns: readonly TableColumn<QueueSeen>[] = [
  { id: "queue", header: "Queue", cell: ({ name }) => <code title={name}>{name}</code> },
  { id: "ready", header: "Ready", isNumber: true, cell: ({ ready }) => count(ready) },
  { id: "unacked", header: "Unacked", isNumber: true, cell: ({ unacked }) => count(unacked) },
  {
    id: "consumers",
    header: "Consumers",
    isNumber: true,
    cell: ({ consumers }) => count(consumers),
  },
  {
    id: "state",
    header: "State",
    cell: ({ state }) => state ?? <span className="muted">not known</span>,
  },
];

interface Props {
  readonly queues: readonly QueueSeen[] | null;
  readonly note: string | null;
}

/** The queues of the broker, or why they are not known. */
export function QueueTable({ queues, note }: Props) {
  if (queues === null) {
    return (
      <Section title="Queues" note="not known">
        <div className="section-body">
          <p className="tone-warn">{note}</p>
        </div>
      </Section>
    );
  }
  return (
    <Section title="Queues" note={formatCount(queues.length)}>
      {queues.length === 0 ? (
        <p className="section-body muted">The broker has no queue of Holdfast.</p>
      ) : (
        <DataTable
          name="queues"
          label="Queues"
          rows={queues}
          columns={columns}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}
