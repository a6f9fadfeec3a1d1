import { useBulkOperations } from "../../api/operations-queries.ts";
import type { BulkOperation } from "../../api/operations-types.ts";
import { Link } from "../../app/router.tsx";
import { Badge } from "../../parts/badge.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { bulkStyles, bulkVerb } from "../../parts/operation-styles.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";

const columns: readonly TableColumn<BulkOperation>[] = [
  {
    id: "action",
    header: "Operation",
    cell: ({ id, action, step }) => (
      <Link to={`/failures/bulk/${encodeURIComponent(id)}`} title={id}>
        {bulkVerb(action)}
        {step !== null && ` ${step}`}
      </Link>
    ),
  },
  {
    id: "state",
    header: "State",
    cell: ({ state }) => <Badge style={styleOf(bulkStyles, state)} />,
  },
  { id: "matched", header: "Tasks", isNumber: true, cell: (one) => formatCount(one.matched) },
  {
    id: "succeeded",
    header: "Succeeded",
    isNumber: true,
    cell: ({ verified }) => formatCount(verified.succeeded),
  },
  {
    id: "again",
    header: "Failed again",
    isNumber: true,
    cell: ({ verified }) => formatCount(verified.failedAgain),
  },
  { id: "refused", header: "Refused", isNumber: true, cell: (one) => formatCount(one.refused) },
  { id: "actor", header: "By", cell: ({ actor }) => <span title={actor}>{actor}</span> },
  { id: "reason", header: "Reason", cell: ({ reason }) => <span title={reason}>{reason}</span> },
  { id: "at", header: "Created", isNumber: true, cell: ({ at }) => <Time at={at} form="age" /> },
];

/** All bulk operations, the latest first. */
export function BulkList() {
  const list = useBulkOperations();
  return (
    <section className="page" aria-labelledby="bulk-title">
      <div className="page-head">
        <Link to="/failures">Failures</Link>
        <h1 id="bulk-title">Bulk operations</h1>
      </div>
      <Shown query={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) return <NoOperation />;
          return (
            <Section title="Latest first">
              <DataTable
                name="bulk"
                label="Bulk operations"
                rows={rows}
                columns={columns}
                keyOf={({ id }) => id}
              />
              {list.hasNextPage && (
                <button
                  type="button"
                  className="button more"
                  onClick={() => void list.fetchNextPage()}
                >
                  More
                </button>
              )}
            </Section>
          );
        }}
      </Shown>
    </section>
  );
}

function NoOperation() {
  return (
    <Empty title="There is no bulk operation yet">
      <p>Open a group of failures and choose what to do, or use the command:</p>
      <CommandLine
        name="holdfast"
        line="holdfast bulk create resubmit --state halted --canary 2 --rate 5 --reason '…' --dry-run"
      />
    </Empty>
  );
}
