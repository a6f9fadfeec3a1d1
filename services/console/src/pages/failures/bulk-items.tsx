import { type BulkOutcome, bulkOutcomes } from "@holdfast/domain";
import { useBulkItems } from "../../api/operations-queries.ts";
import type { BulkItem } from "../../api/operations-types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { Chip } from "../../parts/chip.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { bulkOutcomeLooks } from "../../parts/operation-looks.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { lookOf } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";

const columns: readonly TableColumn<BulkItem>[] = [
  {
    id: "task",
    header: "Task",
    cell: ({ taskId }) => (
      <Link to={taskPath(taskId)} className="mono" title={taskId}>
        {taskId}
      </Link>
    ),
  },
  {
    id: "outcome",
    header: "Outcome",
    cell: ({ outcome }) => <Badge look={lookOf(bulkOutcomeLooks, outcome)} />,
  },
  { id: "step", header: "Step", cell: ({ step }) => step ?? <span className="muted">–</span> },
  {
    id: "code",
    header: "Code",
    cell: ({ code }) =>
      code === null ? <span className="muted">–</span> : <code title={code}>{code}</code>,
  },
  { id: "at", header: "Since", isNumber: true, cell: ({ at }) => <Time at={at} form="age" /> },
];

interface Props {
  readonly id: string;
  /** Milliseconds between two looks. */
  readonly every: number;
}

/** What became of each task of a bulk operation. */
export function BulkItems({ id, every }: Props) {
  const { query } = usePlace();
  const outcome = bulkOutcomes.find((one) => one === query.get("outcome")) ?? null;
  const items = useBulkItems(id, outcome, every);
  return (
    <Section title="Tasks" end={<OutcomeChips chosen={outcome} />}>
      <Shown query={items}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.items);
          if (rows.length === 0) return <p className="section-body muted">No task.</p>;
          return (
            <DataTable
              name="items"
              label="Tasks of the operation"
              rows={rows}
              columns={columns}
              keyOf={({ taskId }) => taskId}
            />
          );
        }}
      </Shown>
      {items.hasNextPage && (
        <button
          type="button"
          className="button more"
          disabled={items.isFetchingNextPage}
          onClick={() => void items.fetchNextPage()}
        >
          More
        </button>
      )}
    </Section>
  );
}

function OutcomeChips({ chosen }: { readonly chosen: BulkOutcome | null }) {
  return (
    <>
      {bulkOutcomes.map((one) => {
        const look = bulkOutcomeLooks[one];
        return (
          <Chip
            key={one}
            isOn={one === chosen}
            onToggle={() => setQuery({ outcome: one === chosen ? null : one }, { replace: true })}
          >
            <Icon name={look.icon} className={`tone-${look.tone}`} />
            {look.word}
          </Chip>
        );
      })}
    </>
  );
}
