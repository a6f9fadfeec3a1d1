import { blockedAfter, type CatchUp, type FireOutcome, type Overlap } from "@holdfast/domain";
import type { ListedSchedule } from "../../api/types.ts";
import { formatCount, minuteTime } from "../../parts/format.ts";
import type { Style } from "../../parts/state-styles.ts";

type Standing = "fires" | "skips" | "blocked" | "paused" | "failing" | "over";

/** Why a schedule has paused itself. */
const pausedItself = "schedule.failing";

type Stands = Pick<ListedSchedule, "next" | "buffered" | "failures" | "skips" | "paused">;

/** Whether a schedule fires, and what keeps it from that. */
export function standingOf({ paused, skips, next, buffered }: Omit<Stands, "failures">): Standing {
  if (paused !== null) return paused.reason === pausedItself ? "failing" : "paused";
  if (skips >= blockedAfter) return "blocked";
  if (next === null && buffered === null) return "over";
  return skips > 0 ? "skips" : "fires";
}

export const standingStyles: Readonly<Record<Standing, Style>> = {
  fires: { word: "Fires", tone: "good", icon: "done" },
  skips: { word: "Skips", tone: "warn", icon: "skip" },
  blocked: { word: "Blocked", tone: "bad", icon: "stop" },
  paused: { word: "Paused", tone: "warn", icon: "pause" },
  failing: { word: "Paused itself", tone: "bad", icon: "pause" },
  over: { word: "Over", tone: "quiet", icon: "stop" },
};

/** What people should know of how a schedule stands, in sentences; none where it just fires. */
export function remarksOf(
  schedule: Stands & { readonly definition: { readonly pauseAfterFailures?: number | null } },
): readonly string[] {
  return schedule.paused === null ? remarksOfFiring(schedule) : [pauseRemark(schedule.paused)];
}

function pauseRemark({ at, by, reason }: NonNullable<Stands["paused"]>): string {
  const since = minuteTime(at);
  if (reason === pausedItself) {
    return `It paused itself at ${since}: so many of its tasks in a row have failed as it allows. See why in the last one, then resume it: failures are counted anew.`;
  }
  const why = reason === null ? "" : `: ${reason}`;
  return `${by} paused it at ${since}${why}. Nothing fires until it is resumed, and what comes meanwhile is not made up for.`;
}

function remarksOfFiring({
  skips,
  buffered,
  failures,
  next,
  definition: { pauseAfterFailures = null },
}: Parameters<typeof remarksOf>[0]): readonly string[] {
  const last =
    skips === 1 ? "The last instant was" : `The last ${formatCount(skips)} instants were`;
  const until =
    pauseAfterFailures === null ? "" : `, and it pauses itself after ${pauseAfterFailures}`;
  return [
    ...(skips === 0
      ? []
      : [`${last} skipped, since the last task had not ended. It fires again once that has.`]),
    ...(buffered === null
      ? []
      : [`The instant of ${minuteTime(buffered)} waits for the end of the last task.`]),
    ...(failures === 0 ? [] : [`Tasks that failed in a row: ${formatCount(failures)}${until}.`]),
    ...(next === null ? ["Its calendar has no further instant."] : []),
  ];
}

export const fireStyles: Readonly<Record<FireOutcome, Style>> = {
  fired: { word: "Fired", tone: "good", icon: "done" },
  missed: { word: "Missed", tone: "warn", icon: "late" },
  skipped: { word: "Skipped", tone: "quiet", icon: "skip" },
  buffered: { word: "Waits", tone: "busy", icon: "wait" },
};

/** Why an instant became what it became. */
export const fireWords: Readonly<Record<FireOutcome, string>> = {
  fired: "by its calendar",
  missed: "came while nothing could fire it",
  skipped: "came while the last task had not ended",
  buffered: "fires at the end of the last task",
};

/** What happens at an instant while the last task has not ended. */
export const overlapWords: Readonly<Record<Overlap, string>> = {
  skip: "the instant is skipped",
  bufferOne: "the instant waits for its end, one at most",
  allow: "it fires all the same",
};

/** Which instants fire that came while nothing could fire them. */
export const catchUpWords: Readonly<Record<CatchUp, string>> = {
  last: "the last instant fires, and the others are missed",
  none: "instants that are more than a minute late are missed",
  all: "each instant fires, the oldest first",
};
