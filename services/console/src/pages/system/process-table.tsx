import type { ProcessSeen, SystemView } from "../../api/operations-types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

interface Row extends ProcessSeen {
  readonly service: string;
}

const columns: readonly TableColumn<Row>[] = [
  { id: "service", header: "Service", cell: ({ service }) => service },
  {
    id: "instance",
    header: "Instance",
    cell: ({ instance }) => <code title={instance}>{instance}</code>,
  },
  {
    id: "slots",
    header: "Slots",
    isNumber: true,
    cell: ({ slots }) => (slots === null ? <span className="muted">–</span> : formatCount(slots)),
  },
  { id: "release", header: "Release", cell: ({ version }) => <code>{version}</code> },
  { id: "seen", header: "Seen", isNumber: true, cell: ({ seenAt }) => <Time at={seenAt} /> },
];

const services = [
  ["schedulers", "Scheduler"],
  ["supervisors", "Supervisor"],
  ["submissions", "Submission"],
] as const satisfies readonly (readonly [keyof SystemView, string])[];

/** Each Scheduler, Supervisor and submission service, and when it last said that it lives. */
export function ProcessTable({ system }: { readonly system: SystemView }) {
  const rows = services.flatMap(([part, service]) =>
    system[part].map((one) => ({ ...one, service })),
  );
  const missing = services.filter(([part]) => system[part].length === 0);
  return (
    <Section title="Processes">
      {missing.map(([part, service]) => (
        <p key={part} className="section-body note-line tone-warn">
          No {service} has been seen.
        </p>
      ))}
      <DataTable
        name="processes"
        label="Processes"
        rows={rows}
        columns={columns}
        keyOf={({ service, instance }) => `${service} ${instance}`}
      />
    </Section>
  );
}
