import { memo, useMemo, useState } from "react";
import { useNow } from "../../../api/console-context.ts";
import type { Attempts, StepWait } from "../../../api/types.ts";
import { exactTime, formatCount, formatDuration } from "../../../parts/format.ts";
import { Icon } from "../../../parts/icon.tsx";
import { attemptStyles, styleOf } from "../../../parts/state-styles.ts";
import { useWidth } from "../../../parts/use-width.ts";
import { AttemptBar } from "./attempt-bar.tsx";
import {
  type Bar,
  isOwnWait,
  type Lane,
  type LateMark,
  layOutTimeline,
} from "./lay-out-timeline.ts";
import { barOf, type PlacedLane, placeLanes, type Selected } from "./placed-lanes.ts";
import { type TimeScale, ticksOf } from "./time-scale.ts";
import { useBarKeys } from "./use-bar-keys.ts";

interface Props {
  readonly attempts: Attempts;
  /** Forward steps, in the order of the workflow. */
  readonly steps: readonly string[];
  readonly startedAt: number;
  /** Whether something still happens. */
  readonly isLive: boolean;
  readonly selected: Selected | null;
  readonly onSelect: (selected: Selected) => void;
}

const axisHeight = 26;
/** Pixels beyond the last instant, so that its mark is whole. */
const edge = 10;
/** Pixels that one may scroll before other bars are drawn. */
const stride = 400;
const zooms = [1, 2, 4, 8, 16] as const;

/**
 * All attempts of a task over time: what is wrong and what comes next is seen before it is read.
 */
export function Timeline({ attempts, steps, startedAt, isLive, selected, onSelect }: Props) {
  const tick = useNow();
  const [frame, room] = useWidth<HTMLDivElement>();
  const [zoom, setZoom] = useState<number>(1);
  const [left, setLeft] = useState(0);
  const now = isLive ? tick : 0;
  const width = Math.max(room - edge, 200) * zoom;
  const { rows, scale } = useMemo(
    () => layOutTimeline({ attempts, steps, now, width }),
    [attempts, steps, now, width],
  );
  const lanes = useMemo(() => placeLanes(rows.flatMap((row) => row.lanes)), [rows]);
  const onKeyDown = useBarKeys({ lanes, selected, onSelect });
  const height = axisHeight + lanes.reduce((sum, lane) => sum + lane.height, 0) + 6;
  const current = barOf(lanes, selected);
  // Of a wide picture only what is about in sight; what has the focus stays whatever is scrolled.
  const isNear = (bar: Bar): boolean =>
    bar === current ||
    (bar.x + bar.width > (left - 1) * stride && bar.x < (left + 2) * stride + room);
  return (
    <>
      <div className="timeline">
        <div className="timeline-names" aria-hidden="true" style={{ paddingTop: axisHeight }}>
          {lanes.map(({ lane, height: own }) => (
            <LaneName key={lane.step} lane={lane} height={own} onSelect={onSelect} />
          ))}
        </div>
        <div
          ref={frame}
          className="timeline-scroll"
          onKeyDown={onKeyDown}
          onScroll={({ currentTarget }) => setLeft(Math.floor(currentTarget.scrollLeft / stride))}
        >
          {room > 0 && (
            <svg
              width={width + edge}
              height={height}
              role="group"
              aria-label="Attempts over time. Arrow keys move between them."
            >
              <Hatching />
              <Axis scale={scale} origin={startedAt} height={height} now={isLive ? now : null} />
              {lanes.map((placed) => (
                <LaneOfBars
                  key={placed.lane.step}
                  placed={placed}
                  width={width}
                  isNear={isNear}
                  current={current}
                  isChosen={selected !== null}
                  onSelect={onSelect}
                />
              ))}
            </svg>
          )}
        </div>
      </div>
      <Foot attempts={attempts} zoom={zoom} onZoom={setZoom} />
    </>
  );
}

interface LaneProps {
  readonly placed: PlacedLane;
  readonly width: number;
  readonly isNear: (bar: Bar) => boolean;
  readonly current: Bar | undefined;
  readonly isChosen: boolean;
  readonly onSelect: (selected: Selected) => void;
}

function LaneOfBars({ placed, width, isNear, current, isChosen, onSelect }: LaneProps) {
  const { lane, y, height } = placed;
  return (
    <g transform={`translate(0 ${axisHeight + y})`}>
      <line className="lane-line" x2={width} y1={height - 0.5} y2={height - 0.5} />
      <Waits lane={lane} height={height} onSelect={onSelect} />
      {lane.bars.filter(isNear).map((bar) => (
        <AttemptBar
          key={bar.shown.attempt}
          bar={bar}
          height={height}
          isSelected={bar === current && isChosen}
          isReachable={bar === current}
          onSelect={onSelect}
        />
      ))}
      <LateReplies lane={lane} height={height} />
    </g>
  );
}

interface FootProps {
  readonly attempts: Attempts;
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

function Foot({ attempts, zoom, onZoom }: FootProps) {
  return (
    <footer className="timeline-foot">
      <Legend attempts={attempts} />
      <span className="timeline-tools">
        {attempts.truncated && (
          <span className="hint">the newest {formatCount(attempts.items.length)} attempts</span>
        )}
        {zooms.map((one) => (
          <button
            key={one}
            type="button"
            className="zoom"
            aria-pressed={zoom === one}
            aria-label={`Draw it ${one} times as wide`}
            onClick={() => onZoom(one)}
          >
            {one}×
          </button>
        ))}
      </span>
    </footer>
  );
}

interface NameProps {
  readonly lane: Lane;
  readonly height: number;
  readonly onSelect: (selected: Selected) => void;
}

function LaneName({ lane, height, onSelect }: NameProps) {
  return (
    <div className={lane.isUndo ? "lane-name lane-undo" : "lane-name"} style={{ height }}>
      {lane.isUndo && <Icon name="undo" />}
      <span title={lane.step} onClick={() => onSelect({ step: lane.step, attempt: null })}>
        {lane.isUndo ? "undo" : lane.step}
      </span>
    </div>
  );
}

interface AxisProps {
  readonly scale: TimeScale;
  /** Times are counted from here. */
  readonly origin: number;
  readonly height: number;
  readonly now: number | null;
}

const apart = 84;
const top = 18;

/** Time from the submission on. What is idle is cut out, and says for how long. */
function Axis({ scale, origin, height, now }: AxisProps) {
  return (
    <g className="axis">
      {scale.segments
        .filter(({ isIdle, width }) => isIdle && width >= 3)
        .map(({ from, until, x, width }) => (
          <g key={from}>
            <title>{`${formatDuration(until - from)} in which no attempt ran`}</title>
            <rect className="axis-idle" x={x} y={top} width={width} height={height - top} />
            {width >= 24 && (
              <path
                className="axis-cut"
                d={`M${x + width / 2 - 4} ${top + 4}l3-8m2 8 3-8`}
                transform="translate(0 -1)"
              />
            )}
          </g>
        ))}
      {ticksOf(scale, origin, apart).map(({ x, at }) => (
        <g key={at}>
          <title>{exactTime(at)}</title>
          <path className="axis-tick" d={`M${x + 0.5} ${top - 4}V${height}`} />
          <text x={x + 4} y={12}>
            {at - origin < 1 ? "0" : `+${formatDuration(at - origin)}`}
          </text>
        </g>
      ))}
      {now !== null && (
        <path className="axis-now" d={`M${scale.xOf(now)} ${top - 4}V${height}`}>
          <title>now</title>
        </path>
      )}
    </g>
  );
}

interface MarksProps {
  readonly lane: Lane;
  readonly height: number;
}

interface WaitsProps extends MarksProps {
  readonly onSelect: (selected: Selected) => void;
}

/**
 * Waits between the attempts of a step, and the instant at which the next one is due. A step that
 * does nothing but wait has a hatched bar.
 */
const Waits = memo(function Waits({ lane, height, onSelect }: WaitsProps) {
  const middle = height / 2;
  return lane.waits.map(({ wait, isOwn, x, width }) =>
    isOwn ? (
      <g
        key={wait.from}
        className={isOpenWait(wait) ? "own-wait own-wait-open" : "own-wait"}
        onClick={() => onSelect({ step: lane.step, attempt: null })}
      >
        <title>{`${lane.step}: ${ownWaitWords(wait)}`}</title>
        <rect
          fill="url(#hatching)"
          x={x}
          y={5}
          width={width}
          height={height - 10}
          rx={Math.min(3, width / 2)}
        />
      </g>
    ) : (
      <g key={wait.from} className="wait">
        <title>{waitWords(wait)}</title>
        <line x1={x} x2={x + width} y1={middle} y2={middle} />
        {isAhead(wait.until) && (
          <path d={`M${x + width} ${middle - 4}l4 4-4 4-4-4z`} className="wait-due" />
        )}
      </g>
    ),
  );
});

/** The hatching of the bars of waits. */
const Hatching = () => (
  <defs>
    <pattern
      id="hatching"
      width={6}
      height={6}
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <path className="hatching" d="M1.5 0V6" />
    </pattern>
  </defs>
);

/** Replies that came when their attempt was over, and changed nothing. */
const LateReplies = memo(function LateReplies({ lane, height }: MarksProps) {
  return lane.late.map((mark) => (
    <g key={mark.x} className="late" transform={`translate(${mark.x} ${height / 2})`}>
      <title>{lateWords(mark)}</title>
      <circle r={6} />
      <path d="M-2.6-2.6l5.2 5.2M-2.6 2.6l5.2-5.2" />
    </g>
  ));
});

/** Whether a step still waits: for ever, where nothing says until when. */
const isOpenWait = ({ until }: StepWait): boolean => until === null || isAhead(until);

const isAhead = (until: string | null): boolean => until !== null && Date.parse(until) > Date.now();

function waitWords({ from, until, reason }: StepWait): string {
  if (until === null) return `Waits since ${exactTime(from)} (${reason})`;
  const length = formatDuration(Date.parse(until) - Date.parse(from));
  return `Waits ${length} until ${exactTime(until)} (${reason})`;
}

function ownWaitWords({ from, until }: StepWait): string {
  if (until === null) return `waits since ${exactTime(from)}`;
  const length = formatDuration(Date.parse(until) - Date.parse(from));
  return `${isAhead(until) ? "waits" : "waited"} ${length}, until ${exactTime(until)}`;
}

const lateWords = ({ replies }: LateMark): string =>
  replies
    .slice(0, 5)
    .map(
      ({ attempt, at, reason }) =>
        `A reply to attempt ${attempt ?? "?"} came at ${exactTime(at)} and was refused: ${reason}`,
    )
    .join("\n");

/** What the signs of the timeline mean: only those that are in it. */
function Legend({ attempts }: { readonly attempts: Attempts }) {
  const outcomes = [...new Set(attempts.items.map(({ outcome }) => outcome))];
  return (
    <ul className="legend" aria-label="Signs">
      {outcomes.map((outcome) => {
        const { word, tone, icon } = styleOf(attemptStyles, outcome);
        return (
          <li key={outcome} className={`tone-${tone}`}>
            <span className={`legend-bar bar-${outcome}`} />
            <Icon name={icon} className={`tone-${tone}`} />
            {word.toLowerCase()}
          </li>
        );
      })}
      <li>
        <span className="legend-deadline" />
        complete-by
      </li>
      {attempts.waits.some(isOwnWait) && (
        <li>
          <span className="legend-own-wait" />
          waits for a time, a signal or people
        </li>
      )}
      {!attempts.waits.every(isOwnWait) && (
        <li>
          <span className="legend-wait" />
          wait
        </li>
      )}
      {attempts.lateReplies.length > 0 && (
        <li className="tone-warn">
          <span className="legend-late">×</span>
          {attempts.lateReplies.length} late{" "}
          {attempts.lateReplies.length === 1 ? "reply" : "replies"} refused
        </li>
      )}
    </ul>
  );
}
