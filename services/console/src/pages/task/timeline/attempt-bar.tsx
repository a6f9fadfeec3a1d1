import { memo, useEffect, useRef } from "react";
import { exactTime, formatDuration } from "../../../parts/format.ts";
import { attemptLooks, lookOf } from "../../../parts/state-looks.ts";
import type { Bar } from "./lay-out-timeline.ts";
import type { Selected } from "./timeline.tsx";

interface Props {
  readonly bar: Bar;
  readonly height: number;
  readonly isSelected: boolean;
  /** By the key Tab: one of all bars is, and arrow keys move on from it. */
  readonly isReachable: boolean;
  readonly onSelect: (selected: Selected) => void;
}

/** A letter of the bar's words is so wide. */
const letter = 6.4;

/** An attempt, with the line to the deadline that it runs against. */
export const AttemptBar = memo(function AttemptBar(props: Props) {
  const { bar, height, isSelected, isReachable, onSelect } = props;
  const { attempts, shown, x, width, lineUntil, deadline } = bar;
  const box = useRef<SVGGElement>(null);
  useEffect(() => {
    // Only when it was moved to by keys: what is chosen elsewhere does not take the focus.
    const svg = box.current?.ownerSVGElement;
    if (isSelected && svg?.contains(document.activeElement) === true) box.current?.focus();
  }, [isSelected]);
  const top = 5;
  const tall = height - 2 * top;
  const middle = height / 2;
  const words = wordsOf(bar);
  const label = labelOf(bar);
  return (
    <g
      ref={box}
      className={`bar bar-${shown.outcome} tone-${lookOf(attemptLooks, shown.outcome).tone} ${shown.kind === "compensation" ? "bar-undo" : ""}`}
      role="button"
      tabIndex={isReachable ? 0 : -1}
      aria-label={words}
      aria-pressed={isSelected}
      data-attempt={shown.attempt}
      onClick={() => onSelect({ step: shown.step, attempt: shown.attempt })}
    >
      <title>{words}</title>
      {lineUntil !== null && (
        <line className="bar-time" x1={x + width} x2={lineUntil} y1={middle} y2={middle} />
      )}
      {deadline !== null && (
        <path className="bar-deadline" d={`M${deadline} ${top - 2}V${height - top + 2}`} />
      )}
      <rect x={x} y={top} width={width} height={tall} rx={Math.min(3, width / 2)} />
      {label.length * letter + 8 < width && (
        <text x={x + 6} y={middle + 4}>
          {label}
        </text>
      )}
    </g>
  );
});

function labelOf({ attempts, shown }: Bar): string {
  if (attempts.length > 1) return `${attempts.length} attempts`;
  const word = shown.faultCode ?? lookOf(attemptLooks, shown.outcome).word.toLowerCase();
  return shown.attempt > 1 ? `#${shown.attempt} ${word}` : word;
}

/** What is said of a bar when one points at it or moves to it. */
function wordsOf({ attempts, shown }: Bar): string {
  if (attempts.length > 1) {
    const counts = Map.groupBy(attempts, ({ outcome }) => outcome);
    const parts = [...counts].map(([outcome, all]) => `${all.length} ${outcome}`);
    return `${attempts.length} attempts of ${shown.step}: ${parts.join(", ")}`;
  }
  const { step, attempt, outcome, claimedAt, endedAt, completeBy, faultCode } = shown;
  const took = endedAt === null ? null : Date.parse(endedAt) - Date.parse(claimedAt);
  return [
    `${step}, attempt ${attempt}: ${outcome}${faultCode === null ? "" : ` (${faultCode})`}`,
    `from ${exactTime(claimedAt)}`,
    ...(took === null ? [] : [`took ${formatDuration(took)}`]),
    ...(completeBy === null ? [] : [`to complete by ${exactTime(completeBy)}`]),
  ].join(", ");
}
