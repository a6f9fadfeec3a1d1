import { useMemo } from "react";
import { useAgents, useOverview, usePauses, useRemotes } from "../../api/queries.ts";
import { Link, usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Shown } from "../../parts/shown.tsx";
import { agentRows } from "./agent-rows.ts";
import { AgentTable } from "./agent-table.tsx";
import { Differences } from "./differences.tsx";
import { Instances } from "./instances.tsx";
import { PauseTable } from "./pause-table.tsx";
import { RemoteTable } from "./remote-table.tsx";

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
