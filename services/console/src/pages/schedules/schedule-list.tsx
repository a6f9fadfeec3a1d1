import { useSchedules } from "../../api/operations-queries.ts";
import type { ListedSchedule } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { schedulePath } from "../../app/routes.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Comes, Instant, ScheduleActions, StandingBadge, Submits } from "./schedule-parts.tsx";

const columns: readonly TableColumn<ListedSchedule>[] = [
  {
    id: "id",
    header: "Schedule",
    cell: ({ id }) => (
      <Link to={schedulePath(id)} title={id}>
        {id}
      </Link>
    ),
  },
  {
    id: "state",
    header: "State",
    cell: (schedule) => <StandingBadge schedule={schedule} />,
  },
  {
    id: "workflow",
    header: "Submits",
    isText: true,
    cell: ({ definition }) => <Submits workflow={definition.workflow} />,
  },
  {
    id: "comes",
    header: "When",
    isText: true,
    cell: ({ definition }) => <Comes {...definition} />,
  },
  {
    id: "next",
    header: "Next",
    isText: true,
    cell: ({ next, definition: { zone } }) =>
      next === null ? <span className="muted">none</span> : <Instant at={next} zone={zone} />,
  },
  {
    id: "failures",
    header: "Failures",
    isNumber: true,
    cell: ({ failures }) =>
      failures === 0 ? (
        <span className="muted">0</span>
      ) : (
        <span title="Tasks in a row that have failed">{formatCount(failures)}</span>
      ),
  },
  { id: "actions", header: "", cell: (row) => <ScheduleActions {...row} /> },
];

/** All stored schedules, by their ids. */
export function ScheduleList() {
  const schedules = useSchedules();
  return (
    <section className="page" aria-labelledby="schedules-title">
      <div className="page-head">
        <h1 id="schedules-title">Schedules</h1>
        <span className="muted">which tasks are submitted, and when</span>
      </div>
      <Shown query={schedules}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) return <NoSchedule />;
          return (
            <Section
              title="All schedules"
              note={`${formatCount(rows.length)}${schedules.hasNextPage ? "+" : ""}`}
            >
              <DataTable
                name="schedules"
                label="Schedules"
                rows={rows}
                columns={columns}
                keyOf={({ id }) => id}
              />
              {schedules.hasNextPage && (
                <button
                  type="button"
                  className="button more"
                  onClick={() => void schedules.fetchNextPage()}
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

function NoSchedule() {
  return (
    <Empty title="No schedule is stored">
      <p>Store one: it appears here.</p>
      <CommandLine name="holdfast" line="holdfast schedules put workflows/*.ts" />
    </Empty>
  );
}
