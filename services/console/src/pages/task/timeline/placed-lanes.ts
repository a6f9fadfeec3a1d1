import type { Bar, Lane } from "./lay-out-timeline.ts";

export interface Selected {
  readonly step: string;
  readonly attempt: number | null;
}

const laneHeight = { forward: 30, undo: 22 };

export interface PlacedLane {
  readonly lane: Lane;
  readonly y: number;
  readonly height: number;
}

/** One lane below the other. */
export function placeLanes(lanes: readonly Lane[]): readonly PlacedLane[] {
  let y = 0;
  return lanes.map((lane) => {
    const height = lane.isUndo ? laneHeight.undo : laneHeight.forward;
    const placed = { lane, y, height };
    y += height;
    return placed;
  });
}

/** The bar of what is selected, or else the first one. */
export function barOf(lanes: readonly PlacedLane[], selected: Selected | null): Bar | undefined {
  const first = lanes.find(({ lane }) => lane.bars.length > 0)?.lane.bars[0];
  if (selected === null) return first;
  const bars = lanes.find(({ lane }) => lane.step === selected.step)?.lane.bars ?? [];
  return (
    bars.find(({ attempts }) => attempts.some(({ attempt }) => attempt === selected.attempt)) ??
    bars.at(-1) ??
    first
  );
}
