import { useMemo } from "react";
import { useDoctor, useSystem, useVerify } from "../../api/operations-queries.ts";
import type {
  PartitionSeen,
  ProcessSeen,
  QueueSeen,
  SystemView,
  Verification,
} from "../../api/operations-types.ts";
import { Link, usePlace } from "../../app/router.tsx";
import { readRoute, taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Facts } from "../../parts/facts.tsx";
import { exactTime, formatBytes, formatCount, formatDuration } from "../../parts/format.ts";
import { severityStyles } from "../../parts/operation-styles.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { ReadAgain } from "./read-again.tsx";

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

interface Setting {
  readonly name: string;
  readonly value: unknown;
}

const configurationColumns: readonly TableColumn<Setting>[] = [
  { id: "setting", header: "Variable", isText: true, cell: ({ name }) => <code>{name}</code> },
  { id: "value", header: "Value", isText: true, cell: ({ value }) => valueOf(value) },
];

function valueOf(value: unknown) {
  if (value === null || value === undefined || value === "")
    return <span className="muted">–</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "(secret)" ? <span className="muted">{text}</span> : <code>{text}</code>;
}

/**
 * The settings of the process that answers. The service leaves secrets out: they never get here.
 */
function Configuration() {
  const system = useSystem();
  return (
    <Shown query={system}>
      {({ configuration, version }) => (
        <Section title="Configuration" note={`of the process that answers, release ${version}`}>
          <DataTable
            name="configuration"
            label="Configuration"
            rows={Object.entries(configuration)
              .map(([name, value]) => ({ name, value }))
              .toSorted((one, other) => one.name.localeCompare(other.name, "en"))}
            columns={configurationColumns}
            keyOf={({ name }) => name}
          />
        </Section>
      )}
    </Shown>
  );
}

const day = (at: string) => (
  <time dateTime={at} title={exactTime(at)}>
    {at.slice(0, 10)}
  </time>
);

const partitionTableColumns: readonly TableColumn<PartitionSeen>[] = [
  { id: "partition", header: "Partition", cell: ({ name }) => <code title={name}>{name}</code> },
  { id: "from", header: "From", cell: ({ from }) => day(from) },
  { id: "until", header: "Until", cell: ({ until }) => day(until) },
  { id: "rows", header: "Rows", isNumber: true, cell: ({ rows }) => `≈ ${formatCount(rows)}` },
  { id: "bytes", header: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
];

/** The months of the state store. */
function PartitionTable({ partitions }: { readonly partitions: readonly PartitionSeen[] }) {
  return (
    <Section title="Partitions" note={formatCount(partitions.length)}>
      <DataTable
        name="partitions"
        label="Partitions"
        rows={partitions}
        columns={partitionTableColumns}
        keyOf={({ name }) => name}
      />
    </Section>
  );
}

const count = (value: number | null) =>
  value === null ? <span className="muted">–</span> : formatCount(value);

const queueTableColumns: readonly TableColumn<QueueSeen>[] = [
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
function QueueTable({ queues, note }: Props) {
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
          columns={queueTableColumns}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}

const order = { error: 0, warning: 1, ok: 2 } as const;

/** How the servers are set up: what is wrong first. */
function Doctor() {
  const doctor = useDoctor();
  return (
    <Shown query={doctor}>
      {({ at, ok, findings }) => (
        <Section
          title={ok ? "Nothing is set up wrongly" : "Something is set up wrongly"}
          note={<ReadAgain at={at} query={doctor} />}
        >
          <ul className="findings">
            {findings
              .toSorted((one, other) => order[one.severity] - order[other.severity])
              .map(({ check, severity, sentence, advice }) => (
                <li key={`${check} ${sentence}`}>
                  <Badge style={severityStyles[severity]} />
                  <code className="finding-check">{check}</code>
                  <div className="long">
                    <p>{sentence}</p>
                    {advice !== null && <p className="muted">{advice}</p>}
                  </div>
                </li>
              ))}
          </ul>
          <div className="section-body">
            <CommandLine name="holdfast" line="holdfast doctor" />
          </div>
        </Section>
      )}
    </Shown>
  );
}

/** What must never be, among the tasks of the last day. */
function Verify() {
  const verify = useVerify();
  return (
    <Shown query={verify}>
      {(data) => (
        <Section title={titleOf(data)} note={<ReadAgain at={data.at} query={verify} />}>
          <p className="section-body muted">
            It looked at {data.complete ? "all" : "the first"} {formatCount(data.tasks)} tasks of
            the last 24 hours{data.complete ? "." : ": its time was over before it had seen all."}
          </p>
          <ul className="findings">
            {data.violations.map(({ rule, taskId, sentence }) => (
              <li key={`${rule} ${taskId} ${sentence}`}>
                <Badge style={severityStyles.error} />
                <code className="finding-check">{rule}</code>
                <div className="long">
                  <p>{sentence}</p>
                  {taskId !== null && (
                    <Link to={taskPath(taskId)} className="mono">
                      {taskId}
                    </Link>
                  )}
                </div>
              </li>
            ))}
          </ul>
          <div className="section-body">
            <CommandLine name="holdfast" line="holdfast verify --since 24h" />
          </div>
        </Section>
      )}
    </Shown>
  );
}

/** The title of what was found: of tasks that it did not look at it says nothing. */
function titleOf({ ok, complete, violations }: Verification): string {
  if (!ok) return `${formatCount(violations.length)} rules are broken`;
  return complete ? "No rule is broken" : "No rule is broken as far as it looked";
}
