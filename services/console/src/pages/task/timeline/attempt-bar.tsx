import { memo, useEffect, useRef } from "react";
import { exactTime, formatDuration } from "../../../parts/format.ts";
import { attemptStyles, styleOf } from "../../../parts/state-styles.ts";
import type { Bar } from "./lay-out-timeline.ts";
import type { Selected } from "./placed-lanes.ts";

interface Props {
  readonly bar: Bar;
  readonly height: number;
  readonly isSelected: boolean;
  /** Whether the key Tab reaches it: one of all bars it does, and arrow keys move on from that. */
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
  const label = labelsOf(bar).find(({ length }) => length * letter + 10 < width);
  // It begins with what one reads: people who speak to their browser say that.
  const words = [...(label === undefined ? [] : [label]), wordsOf(bar)].join(": ");
  return (
    <g>
      {/* Beside the button, whose name it would double. */}
      <title>{words}</title>
      <g
        ref={box}
        className={`bar ${attempts.length > 1 ? "bar-many" : `bar-${shown.outcome}`} tone-${styleOf(attemptStyles, shown.outcome).tone} ${shown.kind === "undo" ? "bar-undo" : ""}`}
        role="button"
        tabIndex={isReachable ? 0 : -1}
        aria-label={words}
        aria-pressed={isSelected}
        data-attempt={shown.attempt}
        onClick={() => onSelect({ step: shown.step, attempt: shown.attempt })}
      >
        {lineUntil !== null && (
          <line className="bar-time" x1={x + width} x2={lineUntil} y1={middle} y2={middle} />
        )}
        {deadline !== null && (
          <path className="bar-deadline" d={`M${deadline} ${top - 2}V${height - top + 2}`} />
        )}
        <rect x={x} y={top} width={width} height={tall} rx={Math.min(3, width / 2)} />
        {attempts.length > 1 && <Shares bar={bar} top={top} tall={tall} />}
        {label !== undefined && (
          <text x={x + 6} y={middle + 4}>
            {label}
          </text>
        )}
      </g>
    </g>
  );
});

interface SharesProps {
  readonly bar: Bar;
  readonly top: number;
  readonly tall: number;
}

/** How the attempts of a bundle ended: the more of them, the taller. */
function Shares({ bar: { attempts, x, width }, top, tall }: SharesProps) {
  const counts = [...Map.groupBy(attempts, ({ outcome }) => outcome)];
  const heights = counts.map(([, all]) => (all.length / attempts.length) * tall);
  return counts.map(([outcome], index) => (
    <rect
      key={outcome}
      className={`share tone-${styleOf(attemptStyles, outcome).tone}`}
      x={x}
      width={width}
      y={top + heights.slice(0, index).reduce((sum, height) => sum + height, 0)}
      height={heights[index]}
    />
  ));
}

/** What may stand in a bar: the first that has room does. */
function labelsOf({ attempts, shown }: Bar): readonly string[] {
  if (attempts.length > 1) return [`${attempts.length}×`];
  const number = shown.attempt > 1 ? `#${shown.attempt}` : "";
  const word = styleOf(attemptStyles, shown.outcome).word.toLowerCase();
  const words = [...(shown.faultCode === null ? [] : [shown.faultCode]), word];
  return [...words.map((one) => `${number} ${one}`.trim()), word, number];
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
