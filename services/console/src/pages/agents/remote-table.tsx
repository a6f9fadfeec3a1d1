import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import type { Remote } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { agentPath, taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount, shortId } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { breakerStyles, styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";

const none = <span className="muted">–</span>;

const columns: readonly TableColumn<Remote>[] = [
  { id: "name", header: "Remote service", cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ breaker, held }) => (
      <span className="badges">
        <Badge style={styleOf(breakerStyles, breaker)} />
        {held && (
          <Badge style={{ word: "Held", tone: "warn", icon: "stop" }} title="By an operator" />
        )}
      </span>
    ),
  },
  {
    id: "agents",
    header: "Agents",
    cell: ({ agents }) =>
      agents.map((one) => (
        <Link key={one} to={agentPath(one)} className="sample">
          {one}
        </Link>
      )),
  },
  {
    id: "why",
    header: "Since, by, why",
    cell: ({ since, actor, reason, openUntil, throttledUntil }) =>
      since === null ? (
        none
      ) : (
        <span title={reason ?? undefined}>
          <Time at={since} />
          {actor !== null && ` · ${actor}`}
          {reason !== null && `: ${reason}`}
          {openUntil !== null && (
            <>
              {" "}
              · probe <Time at={openUntil} />
            </>
          )}
          {throttledUntil !== null && (
            <>
              {" "}
              · throttled, ends <Time at={throttledUntil} />
            </>
          )}
        </span>
      ),
  },
  {
    id: "held",
    header: "Held steps",
    isNumber: true,
    cell: ({ heldSteps }) =>
      heldSteps === 0 ? <span className="muted">0</span> : formatCount(heldSteps),
  },
  { id: "tasks", header: "Such as", cell: HeldTasks },
  {
    id: "actions",
    header: "",
    cell: ({ name, breaker, held }) => (
      <span className="buttons">
        {!held && <ActionButton action={namedAction("remotes", "hold", name)} />}
        {(held || breaker !== "closed") && (
          <ActionButton action={namedAction("remotes", "release", name)} />
        )}
      </span>
    ),
  },
];

function HeldTasks({ heldTasks, probe }: Remote) {
  if (heldTasks.length === 0 && probe === null) return none;
  return (
    <>
      {heldTasks.slice(0, 2).map((id) => (
        <Link key={id} to={taskPath(id)} className="mono sample" title={id}>
          {shortId(id)}
        </Link>
      ))}
      {probe !== null && (
        <Link to={taskPath(probe.taskId)} className="sample" title={probe.taskId}>
          its probe
        </Link>
      )}
    </>
  );
}

/** The circuit breakers: each belongs to a remote service, and holds back steps of its Agents. */
export function RemoteTable({ remotes }: { readonly remotes: readonly Remote[] }) {
  return (
    <Section title="Circuit breakers of remote services">
      {remotes.length === 0 ? (
        <p className="section-body muted">
          No remote service is known: its Agent announces it when it starts.
        </p>
      ) : (
        <DataTable
          name="remotes"
          label="Circuit breakers"
          rows={remotes}
          columns={columns}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}
