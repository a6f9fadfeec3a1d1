import { distanceText, type Instant } from "@holdfast/domain";
import { type PauseFacts, unusableActor } from "@holdfast/state-store";

/** "2026-11-21T10:00:00.000Z (12 s ago)". */
export function instant(at: Instant | null, now: Instant): string {
  if (at === null) return "an unknown time";
  return `${new Date(at).toISOString()} (${distanceText(at, now)})`;
}

/** "ann since … because: stock-taking". */
export const pausedBy = ({ at, by, reason }: PauseFacts, now: Instant): string =>
  `${by} since ${instant(at, now)} ${reason === null ? "without a reason" : `because: ${reason}`}${by === unusableActor ? repair : ""}`;

const repair = " (what is stored of it was changed: restore it; see holdfast verify)";
