import { useMemo } from "react";
import { useSystem } from "../../api/operations-queries.ts";
import type { ProcessSeen, SystemView } from "../../api/operations-types.ts";
import { Link, usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import { Configuration } from "./configuration.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { Doctor } from "./doctor.tsx";
import { PartitionTable } from "./partition-table.tsx";
import { QueueTable } from "./queue-table.tsx";
import { Verify } from "./verify.tsx";

const views = [
  { rest: "", title: "Processes, queues, store", show: SystemParts },
  { rest: "dead-letters", title: "Dead letters", show: DeadLetters },
  { rest: "doctor", title: "Doctor", show: Doctor },
  { rest: "verify", title: "Verify", show: Verify },
  { rest: "configuration", title: "Configuration", show: Configuration },
] as const;

/** What the tasks run on. */
export function SystemPage() {
  const { path } = usePlace();
  const rest = useMemo(() => {
    const route = readRoute(path);
    return route.page === "system" ? route.rest : "";
  }, [path]);
  const view = views.find((one) => one.rest === rest) ?? views[0];
  return (
    <section className="page" aria-labelledby="system-title">
      <div className="page-head">
        <h1 id="system-title">System</h1>
        <nav className="subtabs" aria-label="Parts of the system">
          {views.map((one) => (
            <Link
              key={one.rest}
              to={one.rest === "" ? "/system" : `/system/${one.rest}`}
              aria-current={one === view ? "page" : undefined}
            >
              {one.title}
            </Link>
          ))}
        </nav>
      </div>
      <view.show />
    </section>
  );
}

/** Processes, outbox, queues and the months of the state store. */
function SystemParts() {
  const system = useSystem();
  return (
    <Shown query={system}>
      {(data) => (
        <>
          <ProcessTable system={data} />
          <Outbox system={data} />
          <QueueTable queues={data.queues} note={data.queuesNote} />
          <PartitionTable partitions={data.partitions} />
        </>
      )}
    </Shown>
  );
}

function Outbox({ system: { outbox, version, at } }: { readonly system: SystemView }) {
  const { waiting, oldestMs } = outbox;
  return (
    <Section title="Outbox" note="notifications that the broker has not confirmed yet">
      <div className="section-body">
        <Facts
          facts={[
            ["Waiting", formatCount(waiting)],
            ["Oldest", oldestMs === null ? "none waits" : formatDuration(oldestMs)],
            ["Release", version],
            ["Looked at", <Time at={at} />],
          ]}
        />
      </div>
    </Section>
  );
}

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
function ProcessTable({ system }: { readonly system: SystemView }) {
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
