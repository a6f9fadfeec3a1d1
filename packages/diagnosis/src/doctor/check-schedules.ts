import { durationText, type Instant } from "@holdfast/domain";
import type { ScheduleTroubles } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, fine, wrong } from "./finding.ts";

/** Whether schedules fire in time, and by themselves. `now`: the store's clock. */
export function checkSchedules(
  found: readonly ScheduleTroubles[],
  now: Instant,
): readonly Finding[] {
  const late = found.filter(({ kind }) => kind === "late");
  const stopped = found.filter(({ kind }) => kind !== "late");
  return [
    ...(late.length === 0 ? [fine("schedules.late", "no schedule is late")] : []),
    ...late.map((troubles) => lateOf(troubles, now)),
    ...(stopped.length === 0
      ? [fine("schedules.paused", "no schedule is blocked, or was paused by Holdfast")]
      : []),
    ...stopped.map((troubles) =>
      troubles.kind === "blocked" ? blockedOf(troubles) : pausedOf(troubles, now),
    ),
  ];
}

const ago = (since: Date | null, now: Instant): string =>
  since === null ? "a while ago" : `${durationText(now - since.getTime())} ago`;

const lateOf = ({ schedules, id, since }: ScheduleTroubles, now: Instant): Finding =>
  wrong(
    "schedules.late",
    `${count(schedules, "schedule")} should have fired a minute ago or more, first ${id}, which was due ${ago(since, now)}`,
    "look whether a submission service runs that takes tasks, and whether its log says round failed or store clock jumped ahead: it fires what came meanwhile, as each schedule catches up",
  );

const blockedOf = ({ schedules, id, lastTask }: ScheduleTroubles): Finding =>
  wrong(
    "schedules.paused",
    `${count(schedules, "schedule")} ${schedules === 1 ? "skips" : "skip"} one instant after the other, first ${id}, whose last task ${lastTask ?? ""} has not ended`,
    `ask holdfast why ${lastTask ?? "TASK"} what it waits for; where its instants may overlap, store the schedule with overlap allow or bufferOne`,
  );

const pausedOf = ({ schedules, id, since }: ScheduleTroubles, now: Instant): Finding =>
  wrong(
    "schedules.paused",
    `${count(schedules, "schedule")} ${schedules === 1 ? "was" : "were"} paused by Holdfast, since their tasks failed again and again, first ${id}, ${ago(since, now)}`,
    `GET /v1/schedules/${id}/fires names the tasks that failed; then POST /v1/schedules/${id}/resume, and backfill what it missed`,
  );
