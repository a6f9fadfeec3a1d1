import { ActionButton } from "../../actions/action-provider.tsx";
import { scheduleAction } from "../../actions/schedule-actions.ts";
import type { ListedSchedule } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { exactTime, minuteTime, zoneTime } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { splitName } from "../workflows/versions.ts";
import { cronWords } from "./cron-words.ts";
import { remarksOf, standingOf, standingStyles } from "./standing.ts";

/** Whether a schedule fires, and what to know of that when pointed at. */
export const StandingBadge = ({ schedule }: { readonly schedule: ListedSchedule }) => (
  <Badge style={standingStyles[standingOf(schedule)]} title={remarksOf(schedule).join(" ")} />
);

/** What operators can do to a schedule. */
export const ScheduleActions = ({ id, paused }: Pick<ListedSchedule, "id" | "paused">) => (
  <span className="buttons">
    <ActionButton action={scheduleAction(paused === null ? "pause" : "resume", id)} />
    <ActionButton action={scheduleAction("fire", id)} />
  </span>
);

/** When a schedule fires, in words where there are any, and as it was written. */
export function Comes({ cron, zone }: Pick<ListedSchedule["definition"], "cron" | "zone">) {
  const words = cronWords(cron);
  return (
    <>
      {words !== null && `${words} · `}
      <code>{cron}</code> <span className="muted">{zone}</span>
    </>
  );
}

/** The workflow of a schedule. Without a version it is the one that takes new tasks. */
export const Submits = ({ workflow }: { readonly workflow: string }) =>
  splitName(workflow).version === 0 ? (
    <Link to="/workflows" title="Whichever version takes new tasks">
      {workflow}
    </Link>
  ) : (
    <Link to={workflowPath(workflow)}>{workflow}</Link>
  );

interface InstantProps {
  readonly at: string;
  readonly zone: string;
}

/** An instant as clocks show it here, and as those of the schedule do. */
export const Instant = ({ at, zone }: InstantProps) => (
  <>
    <Time at={at} />, <time dateTime={at}>{minuteTime(at)}</time>
    <InZone at={at} zone={zone} />
  </>
);

/** What clocks of the zone show, where they show something else than those here. */
function InZone({ at, zone }: InstantProps) {
  const there = zoneTime(at, zone);
  if (there === null || there === minuteTime(at)) return null;
  return (
    <span className="muted" title={exactTime(at)}>
      {" "}
      · {there} in {zone}
    </span>
  );
}
