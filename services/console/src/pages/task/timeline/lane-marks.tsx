import { memo } from "react";
import { exactTime, formatDuration } from "../../../parts/format.ts";
import type { Lane, LateMark, WaitLine } from "./lay-out-timeline.ts";

interface Props {
  readonly lane: Lane;
  readonly height: number;
}

/** Waits between the attempts of a step, and the instant at which the next one is due. */
export const Waits = memo(function Waits({ lane, height }: Props) {
  const middle = height / 2;
  return lane.waits.map(({ wait, x, width }) => (
    <g key={wait.from} className="wait">
      <title>{waitWords({ wait, x, width })}</title>
      <line x1={x} x2={x + width} y1={middle} y2={middle} />
      {isAhead(wait.until) && (
        <path d={`M${x + width} ${middle - 4}l4 4-4 4-4-4z`} className="wait-due" />
      )}
    </g>
  ));
});

/** Replies that came when their attempt was over, and changed nothing. */
export const LateReplies = memo(function LateReplies({ lane, height }: Props) {
  return lane.late.map((mark) => (
    <g key={mark.x} className="late" transform={`translate(${mark.x} ${height / 2})`}>
      <title>{lateWords(mark)}</title>
      <circle r={6} />
      <path d="M-2.6-2.6l5.2 5.2M-2.6 2.6l5.2-5.2" />
    </g>
  ));
});

const isAhead = (until: string | null): boolean => until !== null && Date.parse(until) > Date.now();

function waitWords({ wait: { from, until, reason } }: WaitLine): string {
  if (until === null) return `Waits since ${exactTime(from)} (${reason})`;
  const length = formatDuration(Date.parse(until) - Date.parse(from));
  return `Waits ${length} until ${exactTime(until)} (${reason})`;
}

const lateWords = ({ replies }: LateMark): string =>
  replies
    .slice(0, 5)
    .map(
      ({ attempt, at, reason }) =>
        `A reply to attempt ${attempt ?? "?"} came at ${exactTime(at)} and was refused: ${reason}`,
    )
    .join("\n");
