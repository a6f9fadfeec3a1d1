import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import { Link } from "../../app/router.tsx";
import { agentPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { breakerStyles, styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { type AgentRow, breakerOf } from "./agent-rows.ts";
import { SlotBar } from "./slot-bar.tsx";

const none = <span className="muted">–</span>;
const duration = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? none : formatDuration(ms);

const columns: readonly TableColumn<AgentRow>[] = [
  {
    id: "name",
    header: "Agent",
    cell: ({ agent: { name, unfitFor } }) => (
      <span className="badges">
        <Link to={agentPath(name)} title={name}>
          {name}
        </Link>
        {unfitFor.length > 0 && (
          <span title={`Some instances cannot read ${unfitFor.join(", ")}`}>
            <Badge style={{ word: "Contracts differ", tone: "bad", icon: "warn" }} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: "living",
    header: "Instances",
    isNumber: true,
    cell: ({ agent: { living, instances } }) =>
      living === 0 ? (
        <Badge style={{ word: "none lives", tone: "bad", icon: "warn" }} />
      ) : (
        <span title={`${living} of ${instances.length} known instances live`}>{living}</span>
      ),
  },
  {
    id: "slots",
    header: "In flight / slots",
    cell: ({ agent }) => <SlotBar used={agent.inFlight} all={agent.slots} />,
  },
  { id: "due", header: "Due", isNumber: true, cell: ({ agent }) => formatCount(agent.due) },
  {
    id: "oldest",
    header: "Oldest",
    isNumber: true,
    cell: ({ agent }) => duration(agent.oldestDueMs),
  },
  { id: "p50", header: "p50", isNumber: true, cell: ({ seen }) => duration(seen?.p50Ms) },
  { id: "p95", header: "p95", isNumber: true, cell: ({ seen }) => duration(seen?.p95Ms) },
  {
    id: "ok",
    header: "OK",
    isNumber: true,
    cell: ({ seen }) =>
      seen === null || seen.okPercent === null ? none : `${formatCount(seen.okPercent)} %`,
  },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ agent, seen }) => (
      <span className="badges">
        <Badge style={styleOf(breakerStyles, seen?.breaker ?? breakerOf(agent))} />
        {seen !== null && seen.breakerUntil !== null && <Time at={seen.breakerUntil} />}
      </span>
    ),
  },
  {
    id: "held",
    header: "Held",
    isNumber: true,
    cell: ({ seen }) => (seen === null ? none : formatCount(seen.heldSteps)),
  },
  {
    id: "actions",
    header: "",
    cell: ({ agent: { name, paused } }) => (
      <span className="buttons">
        {paused !== null && (
          <Badge
            style={{ word: "Paused", tone: "warn", icon: "pause" }}
            title={`${paused.by}: ${paused.reason}`}
          />
        )}
        <ActionButton action={namedAction("agents", paused === null ? "pause" : "resume", name)} />
      </span>
    ),
  },
];

/** Slots, queue, latency and breaker of each Agent. */
export function AgentTable({ rows }: { readonly rows: readonly AgentRow[] }) {
  return (
    <Section title="Capacity">
      <DataTable
        name="agents"
        label="Agents"
        rows={rows}
        columns={columns}
        keyOf={({ agent }) => agent.name}
      />
    </Section>
  );
}
