import { useSchedule, useScheduleInstants } from "../../api/operations-queries.ts";
import { useTaskPart } from "../../api/queries.ts";
import type { Schedule, ScheduleInstants, Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { Facts } from "../../parts/facts.tsx";
import { exactTime, formatDuration, minuteTime, shortId } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf, taskStyles } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { FiresCard } from "./fires-card.tsx";
import { Comes, Instant, ScheduleActions, StandingBadge, Submits } from "./schedule-parts.tsx";
import { catchUpWords, overlapWords, remarksOf } from "./standing.ts";

/** One schedule: when it fires, what keeps it from that, and what became of its instants. */
export function SchedulePage({ id }: { readonly id: string }) {
  const schedule = useSchedule(id);
  return (
    <section className="page" aria-labelledby="schedule-title">
      <div className="page-head">
        <Link to="/schedules">Schedules</Link>
        <h1 id="schedule-title" className="cut" title={id}>
          {id}
        </h1>
        {schedule.data !== undefined && <StandingBadge schedule={schedule.data} />}
      </div>
      <Shown query={schedule}>
        {(data) => (
          <>
            <Stands schedule={data} />
            <div className="columns">
              <FiresCard id={id} zone={data.definition.zone} />
              <NextCard id={id} />
            </div>
            <Definition schedule={data} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Stands({ schedule }: { readonly schedule: Schedule }) {
  const { id, definition, next, lastTask, paused } = schedule;
  const remarks = remarksOf(schedule);
  return (
    <Section title="How it stands" end={<ScheduleActions id={id} paused={paused} />}>
      <div className="section-body">
        {remarks.map((remark) => (
          <p key={remark} className="verdict">
            {remark}
          </p>
        ))}
        <Facts
          facts={[
            ["Fires", <Comes {...definition} />],
            ["Submits", <Submits workflow={definition.workflow} />],
            ["Next", next === null ? "none" : <Instant at={next} zone={definition.zone} />],
            [
              "Last task",
              lastTask === null ? "none by its calendar yet" : <LastTask id={lastTask} />,
            ],
          ]}
        />
      </div>
    </Section>
  );
}

/** Milliseconds between two questions for how the last task stands. */
const lastTaskInterval = 5_000;

function LastTask({ id }: { readonly id: string }) {
  const { data } = useTaskPart<Task>(id, "task", lastTaskInterval);
  return (
    <span className="badges">
      <Link to={taskPath(id)}>{shortId(id)}</Link>
      {data !== undefined && <Badge style={styleOf(taskStyles, data.state)} />}
    </span>
  );
}

/** The next instants. Of a schedule that is paused they are those that it would fire at. */
function NextCard({ id }: { readonly id: string }) {
  const instants = useScheduleInstants(id);
  return (
    <Section title="Next instants" note={instants.data?.zone}>
      <Shown query={instants}>
        {({ paused, items }) => (
          <>
            {paused && <p className="section-body hint">It is paused: none of these fires.</p>}
            {items.length === 0 && <p className="section-body hint">There is none.</p>}
            <ol className="instants">
              {items.map((one) => (
                <NextInstant key={one.instant} {...one} />
              ))}
            </ol>
          </>
        )}
      </Shown>
    </Section>
  );
}

/** What clocks of the zone show; below it what those here do, where that is something else. */
function NextInstant({ instant, local }: ScheduleInstants["items"][number]) {
  const there = local.slice(0, 16).replace("T", " ");
  const here = minuteTime(instant);
  return (
    <li>
      <time dateTime={instant} title={exactTime(instant)}>
        {there} <span className="muted">{local.slice(19)}</span>
      </time>
      <span className="muted">
        <Time at={instant} />
        {here !== there && `, ${here} here`}
      </span>
    </li>
  );
}

function Definition({ schedule }: { readonly schedule: Schedule }) {
  const { definition, version, createdAt, changedAt, changedBy } = schedule;
  const { overlap, catchUp, jitter, pauseAfterFailures = null, priority, labels } = definition;
  return (
    <Section title="Definition" note={`version ${version}`}>
      <div className="section-body step-sides">
        <Facts
          facts={[
            ["The last task still runs", overlapWords[overlap]],
            ["After an outage", catchUpWords[catchUp]],
            ["Delay", jitter === 0 ? "none" : `up to ${formatDuration(jitter)}`],
            [
              "Pauses itself",
              pauseAfterFailures === null
                ? "never"
                : `after ${pauseAfterFailures} tasks in a row that failed`,
            ],
            ["Priority", priority ?? "normal"],
            ["Labels", labelsIn(labels)],
            ["Stored", <Time at={createdAt} />],
            [
              "Changed",
              <>
                <Time at={changedAt} /> by {changedBy}
              </>,
            ],
          ]}
        />
        <JsonView value={definition.input} label="the input of its tasks" />
      </div>
    </Section>
  );
}

function labelsIn(labels: Schedule["definition"]["labels"] = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? "none" : pairs.join(", ");
}
