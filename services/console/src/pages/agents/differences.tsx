import type { Agent } from "../../api/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Section } from "../../parts/section.tsx";

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
        <Badge look={looks[reading]} />
        {why}
      </span>
    ),
  },
];

/** Shows where living instances of an Agent have another contract than stored workflows were made with. */
export function Differences({ agent }: { readonly agent: Agent }) {
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
