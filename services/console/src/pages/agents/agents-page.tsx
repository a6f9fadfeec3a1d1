import { useMemo } from "react";
import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import { useAgents, useOverview, usePauses, useRemotes } from "../../api/queries.ts";
import type { Agent, Pause } from "../../api/types.ts";
import { Link, usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { breakerStyles, styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { agentRows } from "./agent-rows.ts";
import { AgentTable } from "./agent-table.tsx";
import { RemoteTable } from "./remote-table.tsx";
import { SlotBar } from "./slot-bar.tsx";

/** The Agents, or one of them. */
export function AgentsPage() {
  const { path } = usePlace();
  const name = useMemo(() => {
    const route = readRoute(path);
    return route.page === "agents" ? route.rest : "";
  }, [path]);
  return (
    <section className="page" aria-labelledby="agents-title">
      <div className="page-head">
        {name !== "" && <Link to="/agents">Agents</Link>}
        <h1 id="agents-title" className="cut" title={name}>
          {name === "" ? "Agents" : name}
        </h1>
      </div>
      <Agents name={name === "" ? null : name} />
    </section>
  );
}

/** All Agents, or all about one: the same tables with fewer rows. */
function Agents({ name }: { readonly name: string | null }) {
  const agents = useAgents();
  const { data: overview } = useOverview();
  const remotes = useRemotes();
  const pauses = usePauses();
  return (
    <>
      <Shown query={agents}>
        {({ items }) => {
          const rows = agentRows(items, overview?.agents ?? []).filter(
            (row) => name === null || row.agent.name === name,
          );
          if (rows.length === 0) return <NoAgent name={name} />;
          return (
            <>
              <AgentTable rows={rows} />
              {name !== null &&
                rows.map(({ agent }) => <Instances key={agent.name} agent={agent} />)}
              {name !== null &&
                rows.map(({ agent }) => <Differences key={agent.name} agent={agent} />)}
            </>
          );
        }}
      </Shown>
      <Shown query={remotes}>
        {({ items }) => (
          <RemoteTable
            remotes={items.filter((one) => name === null || one.agents.includes(name))}
          />
        )}
      </Shown>
      <Shown query={pauses}>
        {({ items }) => (
          <PauseTable
            pauses={items.filter(
              (one) => name === null || (one.kind === "agent" && one.name === name),
            )}
          />
        )}
      </Shown>
    </>
  );
}

function NoAgent({ name }: { readonly name: string | null }) {
  return (
    <Empty title={name === null ? "No Agent has announced itself" : `There is no Agent ${name}`}>
      <p>Start one: it appears here within seconds.</p>
      <CommandLine name="holdfast" line="holdfast agents list" />
    </Empty>
  );
}

type Difference = Agent["differences"][number];

const looks = {
  same: { word: "Same", tone: "good", icon: "done" },
  fits: { word: "Fits", tone: "good", icon: "done" },
  unknown: { word: "Not known", tone: "quiet", icon: "wait" },
  unfit: { word: "Cannot read", tone: "bad", icon: "cross" },
} as const;

const columns: readonly TableColumn<Difference>[] = [
  { id: "workflow", header: "Workflow", cell: ({ workflow }) => <code>{workflow}</code> },
  { id: "operation", header: "Operation", cell: ({ operation }) => <code>{operation}</code> },
  { id: "needed", header: "Needs", cell: ({ needed }) => <code>{needed}</code> },
  {
    id: "offered",
    header: "Instances have",
    cell: ({ offered }) => (offered === null ? "no such operation" : <code>{offered}</code>),
  },
  {
    id: "instances",
    header: "Instances",
    cell: ({ instances, names }) => <span title={names.join(", ")}>{instances}</span>,
  },
  {
    id: "reading",
    header: "So",
    cell: ({ reading, why }) => (
      <span className="badges">
        <Badge style={looks[reading]} />
        {why}
      </span>
    ),
  },
];

/**
 * Shows where living instances of an Agent have another contract than stored workflows were made
 * with.
 */
function Differences({ agent }: { readonly agent: Agent }) {
  if (agent.differences.length === 0) return null;
  return (
    <Section title="Contracts" note="that differ from what stored workflows were made with">
      <DataTable
        name="differences"
        label={`Contracts of ${agent.name} that differ`}
        rows={agent.differences}
        columns={columns}
        keyOf={({ workflow, operation, offered }) => `${workflow} ${operation} ${offered}`}
      />
    </Section>
  );
}

type Instance = Agent["instances"][number];

const instancesColumns: readonly TableColumn<Instance>[] = [
  {
    id: "instance",
    header: "Instance",
    cell: ({ name }) => <code title={name}>{name}</code>,
  },
  {
    id: "life",
    header: "State",
    cell: ({ living }) => (
      <Badge
        style={
          living
            ? { word: "Lives", tone: "good", icon: "done" }
            : { word: "Silent", tone: "quiet", icon: "cross" }
        }
      />
    ),
  },
  {
    id: "slots",
    header: "In flight / slots",
    cell: ({ inFlight, slots }) => <SlotBar used={inFlight} all={slots} />,
  },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ breaker, openUntil }) => (
      <span className="badges">
        <Badge style={styleOf(breakerStyles, breaker)} />
        {openUntil !== null && <Time at={openUntil} />}
      </span>
    ),
  },
  { id: "seen", header: "Seen", isNumber: true, cell: ({ lastSeen }) => <Time at={lastSeen} /> },
];

/** The processes of one Agent. */
function Instances({ agent }: { readonly agent: Agent }) {
  const living = agent.instances.toSorted(
    (one, other) => Number(other.living) - Number(one.living),
  );
  return (
    <Section title="Instances" note={`${agent.living} of ${agent.instances.length} live`}>
      <DataTable
        name="instances"
        label={`Instances of ${agent.name}`}
        rows={living}
        columns={instancesColumns}
        keyOf={({ name }) => name}
      />
    </Section>
  );
}

const none = <span className="muted">–</span>;

const pauseTableColumns: readonly TableColumn<Pause>[] = [
  {
    id: "what",
    header: "What",
    cell: ({ kind, name }) => (
      <span title={name}>
        {kind === "agent" ? "Agent" : "Workflow"} {name}
      </span>
    ),
  },
  {
    id: "paused",
    header: "Paused",
    cell: ({ pausedAt, actor, reason }) => (
      <span title={reason ?? undefined}>
        <Time at={pausedAt} /> · {actor}
        {reason !== null && `: ${reason}`}
      </span>
    ),
  },
  {
    id: "resumed",
    header: "Resumed",
    cell: ({ resumedAt, resumedBy, resumeReason }) =>
      resumedAt === null ? (
        none
      ) : (
        <span title={resumeReason ?? undefined}>
          <Time at={resumedAt} />
          {resumedBy !== null && ` · ${resumedBy}`}
          {resumeReason !== null && `: ${resumeReason}`}
        </span>
      ),
  },
  {
    id: "actions",
    header: "",
    cell: ({ kind, name, resumedAt }) =>
      resumedAt === null && (
        <ActionButton
          action={namedAction(kind === "agent" ? "agents" : "workflows", "resume", name)}
        />
      ),
  },
];

/** What is paused, and what was: who did it and why. */
function PauseTable({ pauses }: { readonly pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null;
  return (
    <Section title="Pauses" note="latest first">
      <DataTable
        name="pauses"
        label="Pauses"
        rows={pauses.slice(0, 50)}
        columns={pauseTableColumns}
        keyOf={({ kind, name, pausedAt }) => `${kind} ${name} ${pausedAt}`}
      />
    </Section>
  );
}
