import type { AgentOverview, Overview } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { agentPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { breakerLooks, lookOf } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";
import { SlotBar } from "../agents/slot-bar.tsx";

const none = <span className="muted">–</span>;
const duration = (ms: number | null) => (ms === null ? none : formatDuration(ms));
/** Due steps beyond which none are counted. */
const mostDue = 1_000;
const due = (count: number) => (count >= mostDue ? `${formatCount(mostDue)}+` : formatCount(count));

const columns: readonly TableColumn<AgentOverview>[] = [
  {
    id: "name",
    header: "Agent",
    cell: ({ name, paused }) => (
      <span className="badges">
        <Link to={agentPath(name)} title={name}>
          {name}
        </Link>
        {paused && <Badge look={{ word: "Paused", tone: "warn", icon: "pause" }} />}
      </span>
    ),
  },
  { id: "living", header: "Instances", isNumber: true, cell: ({ instances }) => instances },
  {
    id: "slots",
    header: "In flight / slots",
    cell: ({ inFlight, slots }) => <SlotBar used={inFlight} all={slots} />,
  },
  { id: "due", header: "Queue", isNumber: true, cell: (agent) => due(agent.due) },
  {
    id: "oldest",
    header: "Oldest due",
    isNumber: true,
    cell: (agent) => duration(agent.oldestDueMs),
  },
  { id: "p50", header: "p50", isNumber: true, cell: ({ p50Ms }) => duration(p50Ms) },
  { id: "p95", header: "p95", isNumber: true, cell: ({ p95Ms }) => duration(p95Ms) },
  { id: "ok", header: "OK", isNumber: true, cell: ({ okPercent }) => <Ok percent={okPercent} /> },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ breaker, breakerUntil, heldSteps }) => (
      <span className="badges">
        <Badge look={lookOf(breakerLooks, breaker)} />
        {breaker !== "closed" && (
          <small className="muted">
            {heldSteps > 0 && `${formatCount(heldSteps)} held · `}
            {breakerUntil !== null && <Time at={breakerUntil} />}
          </small>
        )}
      </span>
    ),
  },
  { id: "seen", header: "Seen", isNumber: true, cell: ({ seenAt }) => <Time at={seenAt} /> },
];

function Ok({ percent }: { readonly percent: number | null }) {
  if (percent === null) return none;
  const tone = percent >= 99 ? "good" : percent >= 90 ? "warn" : "bad";
  return <span className={`ok-share tone-${tone}`}>{formatCount(percent)} %</span>;
}

/** What each Agent has to do, and how it goes. */
export function AgentsNow({ overview: { agents } }: { readonly overview: Overview }) {
  return (
    <Section title="Agents" note={formatCount(agents.length)}>
      {agents.length === 0 ? (
        <Empty title="No Agent has reported">
          Start one: it reports within seconds, and takes the steps of its name.
        </Empty>
      ) : (
        <DataTable
          name="agents-now"
          label="Agents"
          rows={agents}
          columns={columns}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}
