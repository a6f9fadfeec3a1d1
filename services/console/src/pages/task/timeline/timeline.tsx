import { useMemo, useState } from "react";
import { useNow } from "../../../api/console-context.ts";
import type { Attempts } from "../../../api/types.ts";
import { formatCount } from "../../../parts/format.ts";
import { Icon } from "../../../parts/icon.tsx";
import { useWidth } from "../../../parts/use-width.ts";
import { AttemptBar } from "./attempt-bar.tsx";
import { Axis } from "./axis.tsx";
import { LateReplies, Waits } from "./lane-marks.tsx";
import { type Bar, type Lane, layOutTimeline } from "./lay-out-timeline.ts";
import { Legend } from "./legend.tsx";
import { barOf, type PlacedLane, placeLanes, type Selected } from "./placed-lanes.ts";
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

/** All attempts of a task over time: what is wrong and what comes next is seen before it is read. */
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
      <Waits lane={lane} height={height} />
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
