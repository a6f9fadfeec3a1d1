import { useScheduleFires } from "../../api/operations-queries.ts";
import type { ScheduleFire } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { exactTime, formatCount, minuteTime, shortId, zoneTime } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { fireStyles, fireWords } from "./standing.ts";

interface Props {
  readonly id: string;
  readonly zone: string;
}

/** What became of the last instants of a schedule: a strip, and below it one by one. */
export function FiresCard({ id, zone }: Props) {
  const fires = useScheduleFires(id);
  return (
    <Section title="Last fires" note="what became of its instants">
      <Shown query={fires}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          if (all.length === 0) return <p className="section-body hint">It has not fired yet.</p>;
          return (
            <>
              <Strip fires={all.slice(0, mostInStrip)} />
              <DataTable
                name="fires"
                label="Fires"
                rows={all.map((one) => ({ ...one, zone }))}
                columns={columns}
                keyOf={({ instant }) => instant}
              />
              {fires.hasNextPage && (
                <button
                  type="button"
                  className="button more"
                  onClick={() => void fires.fetchNextPage()}
                >
                  More
                </button>
              )}
            </>
          );
        }}
      </Shown>
    </Section>
  );
}

/** The instants that a strip has room for. */
const mostInStrip = 40;

/** The last instants from left to right, each with a colour and a height by what became of it. */
function Strip({ fires }: { readonly fires: readonly ScheduleFire[] }) {
  const counts = new Map<string, number>();
  for (const { outcome } of fires) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return (
    <div className="section-body">
      <ol className="strip" aria-label={`The last ${fires.length} instants`}>
        {fires.toReversed().map((fire) => (
          <li key={fire.instant}>
            <Bar fire={fire} />
          </li>
        ))}
      </ol>
      <ul className="shares-words">
        {[...counts].map(([outcome, count]) => {
          const { word, tone } = styleOf(fireStyles, outcome);
          return (
            <li key={outcome}>
              <span className={`shares-sign tone-${tone}`} aria-hidden="true" />
              <strong>{formatCount(count)}</strong> {word.toLowerCase()}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Bar({ fire: { instant, outcome, taskId } }: { readonly fire: ScheduleFire }) {
  const { word, tone } = styleOf(fireStyles, outcome);
  const title = `${word}: ${minuteTime(instant)}`;
  const className = `strip-bar strip-${outcome} tone-${tone}`;
  return taskId === null ? (
    <span className={className} title={title} role="img" aria-label={title} />
  ) : (
    <Link to={taskPath(taskId)} className={className} title={title} aria-label={title} />
  );
}

const columns: readonly TableColumn<ScheduleFire & Pick<Props, "zone">>[] = [
  {
    id: "instant",
    header: "Instant",
    cell: ({ instant, zone }) => (
      <time dateTime={instant} title={`${exactTime(instant)}, ${inZone(instant, zone)}`}>
        {minuteTime(instant)}
      </time>
    ),
  },
  {
    id: "outcome",
    header: "Outcome",
    cell: ({ outcome }) => <Badge style={styleOf(fireStyles, outcome)} />,
  },
  {
    id: "task",
    header: "Task",
    cell: ({ taskId }) =>
      taskId === null ? (
        <span className="muted">–</span>
      ) : (
        <Link to={taskPath(taskId)} title={taskId}>
          {shortId(taskId)}
        </Link>
      ),
  },
  {
    id: "why",
    header: "Why",
    isText: true,
    cell: ({ outcome, actor, reason }) =>
      actor === null ? fireWords[outcome] : `${actor}: ${reason ?? "by hand"}`,
  },
  { id: "at", header: "Since", isNumber: true, cell: ({ at }) => <Time at={at} form="age" /> },
];

const inZone = (at: string, zone: string): string =>
  `${zoneTime(at, zone) ?? "not known"} in ${zone}`;
