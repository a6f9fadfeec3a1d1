import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useNow } from "../../../api/console-context.ts";
import type { Attempt } from "../../../api/types.ts";
import { Badge } from "../../../parts/badge.tsx";
import { clockTime, exactTime, formatDuration } from "../../../parts/format.ts";
import { attemptLooks, lookOf } from "../../../parts/state-looks.ts";
import type { Selected } from "../timeline/placed-lanes.ts";

interface Props {
  /** Newest first. */
  readonly items: readonly Attempt[];
  readonly shown: Attempt;
  readonly onSelect: (selected: Selected) => void;
}

const rowHeight = 46;

/** The attempts of a step. Only those in sight are in the page. */
export function AttemptRows({ items, shown, onSelect }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const index = items.indexOf(shown);
  useEffect(() => virtual.scrollToIndex(Math.max(index, 0)), [virtual, index]);
  return (
    <div ref={scroller} className="attempt-rows" role="group" aria-label="Attempts, newest first">
      <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const attempt = items[at];
          if (attempt === undefined) return null;
          return (
            <button
              key={attempt.attempt}
              type="button"
              className="attempt-row"
              aria-pressed={attempt === shown}
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              onClick={() => onSelect({ step: attempt.step, attempt: attempt.attempt })}
            >
              <Row attempt={attempt} />
            </button>
          );
        })}
      </div>
    </div>
  );
}

function Row({ attempt }: { readonly attempt: Attempt }) {
  const now = useNow();
  const time = timeUsed(attempt, now);
  const share = time === null ? 0 : Math.min(Math.max(time.used / time.allowed, 0), 1);
  const look = lookOf(attemptLooks, attempt.outcome);
  return (
    <>
      <span className="attempt-number">#{attempt.attempt}</span>
      <Badge look={look} />
      <time dateTime={attempt.claimedAt} title={exactTime(attempt.claimedAt)} className="muted">
        {clockTime(attempt.claimedAt)}
      </time>
      <span className={`meter tone-${look.tone}`} title="Time used until complete-by">
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect className="meter-all" width="100" height="4" />
          <rect className="meter-used" width={share * 100} height="4" />
        </svg>
        <small className="muted">{timeWords(attempt, now)}</small>
      </span>
    </>
  );
}

type Timed = Pick<Attempt, "claimedAt" | "endedAt" | "completeBy">;

/** How much of its time an attempt has used; null: it has no deadline. */
function timeUsed(
  { claimedAt, endedAt, completeBy }: Timed,
  now: number,
): { readonly used: number; readonly allowed: number } | null {
  if (completeBy === null) return null;
  const from = Date.parse(claimedAt);
  const used = (endedAt === null ? now : Date.parse(endedAt)) - from;
  return { used, allowed: Date.parse(completeBy) - from };
}

/** The time of an attempt in words: `265 ms of 35 s`. */
function timeWords(attempt: Timed, now: number): string {
  const time = timeUsed(attempt, now);
  if (time !== null) return `${formatDuration(time.used)} of ${formatDuration(time.allowed)}`;
  if (attempt.endedAt === null) return "–";
  return formatDuration(Date.parse(attempt.endedAt) - Date.parse(attempt.claimedAt));
}
