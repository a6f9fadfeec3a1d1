import { useMemo, useState } from "react";
import { useNow } from "../../../api/console-context.ts";
import type { Attempts } from "../../../api/types.ts";
import { formatCount } from "../../../parts/format.ts";
import { Icon } from "../../../parts/icon.tsx";
import { useWidth } from "../../../parts/use-width.ts";
import { AttemptBar } from "./attempt-bar.tsx";
import { Axis } from "./axis.tsx";
import { LaneMarks } from "./lane-marks.tsx";
import { type Bar, type Lane, layOutTimeline } from "./lay-out-timeline.ts";
import { Legend } from "./legend.tsx";
import { useBarKeys } from "./use-bar-keys.ts";

export interface Selected {
  readonly step: string;
  readonly attempt: number | null;
}

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
/** Beyond the last instant, so that its mark is whole. */
const edge = 10;
const laneHeight = { forward: 30, undo: 22 };
const zooms = [1, 2, 4, 8, 16] as const;

/** All attempts of a task over time: what is wrong and what comes next is seen before it is read. */
export function Timeline({ attempts, steps, startedAt, isLive, selected, onSelect }: Props) {
  const tick = useNow();
  const [frame, room] = useWidth<HTMLDivElement>();
  const [zoom, setZoom] = useState<number>(1);
  const now = isLive ? tick : 0;
  const width = Math.max(room - edge, 200) * zoom;
  const { rows, scale } = useMemo(
    () => layOutTimeline({ attempts, steps, now, width }),
    [attempts, steps, now, width],
  );
  const lanes = useMemo(() => placeLanes(rows.flatMap((row) => row.lanes)), [rows]);
  const onKeyDown = useBarKeys({ lanes, selected, onSelect });
  const height = axisHeight + lanes.reduce((sum, lane) => sum + lane.height, 0) + 6;
  const first = lanes.find(({ lane }) => lane.bars.length > 0)?.lane.bars[0];
  const current = barOf(lanes, selected) ?? first;
  return (
    <>
      <div className="timeline">
        <div className="timeline-names" aria-hidden="true" style={{ paddingTop: axisHeight }}>
          {lanes.map(({ lane, height: own }) => (
            <LaneName key={lane.step} lane={lane} height={own} onSelect={onSelect} />
          ))}
        </div>
        <div ref={frame} className="timeline-scroll" onKeyDown={onKeyDown}>
          {room > 0 && (
            <svg
              width={width + edge}
              height={height}
              role="group"
              aria-label="Attempts over time. Arrow keys move between them."
            >
              <Axis scale={scale} origin={startedAt} height={height} now={isLive ? now : null} />
              {lanes.map(({ lane, y, height: own }) => (
                <g key={lane.step} transform={`translate(0 ${axisHeight + y})`}>
                  <line className="lane-line" x2={width} y1={own - 0.5} y2={own - 0.5} />
                  <LaneMarks lane={lane} height={own} />
                  {lane.bars.map((bar) => (
                    <AttemptBar
                      key={bar.shown.attempt}
                      bar={bar}
                      height={own}
                      isSelected={bar === current && selected !== null}
                      isReachable={bar === current}
                      onSelect={onSelect}
                    />
                  ))}
                </g>
              ))}
            </svg>
          )}
        </div>
      </div>
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
              onClick={() => setZoom(one)}
            >
              {one}×
            </button>
          ))}
        </span>
      </footer>
    </>
  );
}

export interface PlacedLane {
  readonly lane: Lane;
  readonly y: number;
  readonly height: number;
}

function placeLanes(lanes: readonly Lane[]): readonly PlacedLane[] {
  let y = 0;
  return lanes.map((lane) => {
    const height = lane.isUndo ? laneHeight.undo : laneHeight.forward;
    const placed = { lane, y, height };
    y += height;
    return placed;
  });
}

function barOf(lanes: readonly PlacedLane[], selected: Selected | null): Bar | undefined {
  if (selected === null) return undefined;
  const bars = lanes.find(({ lane }) => lane.step === selected.step)?.lane.bars ?? [];
  return (
    bars.find(({ attempts }) => attempts.some(({ attempt }) => attempt === selected.attempt)) ??
    bars.at(-1)
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
