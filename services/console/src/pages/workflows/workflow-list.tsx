import { useWorkflowCount, useWorkflows } from "../../api/operations-queries.ts";
import { Link } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import { familiesOf } from "./versions.ts";
import { WorkflowActions } from "./workflow-actions.tsx";
import { WorkflowBadges } from "./workflow-badges.tsx";

/** Counts are asked for so many versions; the others show them on their pages. */
const mostCounted = 40;

interface Row {
  readonly name: string;
  readonly createdAt: string;
  readonly retired: { readonly at: string; readonly by: string; readonly reason: string } | null;
  readonly active: { readonly by: string; readonly reason: string } | null;
  readonly awaitsAgents: boolean;
  readonly isCounted: boolean;
}

const columns: readonly TableColumn<Row>[] = [
  {
    id: "name",
    header: "Version",
    cell: ({ name }) => (
      <Link to={workflowPath(name)} title={name}>
        {name}
      </Link>
    ),
  },
  { id: "state", header: "State", cell: (row) => <WorkflowBadges {...row} /> },
  {
    id: "open",
    header: "Not ended",
    isNumber: true,
    cell: ({ name, isCounted }) => isCounted && <Count workflow={name} state="open" />,
  },
  {
    id: "halted",
    header: "Halted",
    isNumber: true,
    cell: ({ name, isCounted }) => isCounted && <Count workflow={name} state="halted" />,
  },
  {
    id: "createdAt",
    header: "Stored",
    isNumber: true,
    cell: ({ createdAt }) => <Time at={createdAt} form="age" />,
  },
  {
    id: "actions",
    header: "",
    cell: (row) => <WorkflowActions {...row} />,
  },
];

/** All stored workflows, by name, with their versions. */
export function WorkflowList() {
  const workflows = useWorkflows();
  return (
    <section className="page" aria-labelledby="workflows-title">
      <div className="page-head">
        <h1 id="workflows-title">Workflows</h1>
      </div>
      <Shown query={workflows}>
        {({ items }) => {
          if (items.length === 0) return <NoWorkflow />;
          const counted = new Set(items.slice(0, mostCounted).map(({ name }) => name));
          return familiesOf(items).map(({ name, versions }) => (
            <Section
              key={name}
              title={name}
              note={versions.length === 1 ? "1 version" : `${versions.length} versions`}
            >
              <DataTable
                name="workflows"
                label={`Versions of ${name}`}
                rows={versions.map((one) => ({ ...one, isCounted: counted.has(one.name) }))}
                columns={columns}
                keyOf={(row) => row.name}
              />
            </Section>
          ));
        }}
      </Shown>
    </section>
  );
}

interface CountProps {
  readonly workflow: string;
  readonly state: "open" | "halted";
}

function Count({ workflow, state }: CountProps) {
  const { data } = useWorkflowCount(workflow, state);
  if (data === undefined) return <span className="muted">…</span>;
  const text = `${formatCount(data.count)}${data.complete ? "" : "+"}`;
  if (data.count === 0) return <span className="muted">0</span>;
  return <Link to={`/tasks?${new URLSearchParams({ state, workflow })}`}>{text}</Link>;
}

function NoWorkflow() {
  return (
    <Empty title="No workflow is stored">
      <p>Store one: it appears here.</p>
      <CommandLine name="holdfast" line="holdfast workflows apply workflows/*.ts" />
    </Empty>
  );
}
