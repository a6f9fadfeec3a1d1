import type { Attempt } from "../../../api/types.ts";
import { formatDuration } from "../../../parts/format.ts";

type Timed = Pick<Attempt, "claimedAt" | "endedAt" | "completeBy">;

/** How much of its time an attempt has used; null: it has no deadline. */
export function timeUsed(
  { claimedAt, endedAt, completeBy }: Timed,
  now: number,
): { readonly used: number; readonly allowed: number } | null {
  if (completeBy === null) return null;
  const from = Date.parse(claimedAt);
  const used = (endedAt === null ? now : Date.parse(endedAt)) - from;
  return { used, allowed: Date.parse(completeBy) - from };
}

/** The time of an attempt in words: `265 ms of 35 s`. */
export function timeWords(attempt: Timed, now: number): string {
  const time = timeUsed(attempt, now);
  if (time !== null) return `${formatDuration(time.used)} of ${formatDuration(time.allowed)}`;
  if (attempt.endedAt === null) return "–";
  return formatDuration(Date.parse(attempt.endedAt) - Date.parse(attempt.claimedAt));
}
