import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import type { Pause } from "../../api/types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

const none = <span className="muted">–</span>;

const columns: readonly TableColumn<Pause>[] = [
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
export function PauseTable({ pauses }: { readonly pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null;
  return (
    <Section title="Pauses" note="latest first">
      <DataTable
        name="pauses"
        label="Pauses"
        rows={pauses.slice(0, 50)}
        columns={columns}
        keyOf={({ kind, name, pausedAt }) => `${kind} ${name} ${pausedAt}`}
      />
    </Section>
  );
}
