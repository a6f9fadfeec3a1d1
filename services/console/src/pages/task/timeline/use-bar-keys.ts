import { type KeyboardEvent, useCallback } from "react";
import type { Bar } from "./lay-out-timeline.ts";
import type { PlacedLane, Selected } from "./placed-lanes.ts";

interface BarKeyOptions {
  readonly lanes: readonly PlacedLane[];
  readonly selected: Selected | null;
  readonly onSelect: (selected: Selected) => void;
}

type Keys = Pick<KeyboardEvent, "key" | "preventDefault" | "stopPropagation">;

/** Moves by arrow keys: along a lane, and to the nearest attempt of the lane above or below. */
export function useBarKeys({ lanes, selected, onSelect }: BarKeyOptions): (event: Keys) => void {
  return useCallback(
    (event: Keys) => {
      const bar = barAt(
        lanes.map(({ lane }) => lane.bars),
        { selected, key: event.key },
      );
      if (bar === null) return;
      event.preventDefault();
      event.stopPropagation();
      onSelect({ step: bar.shown.step, attempt: bar.shown.attempt });
    },
    [lanes, selected, onSelect],
  );
}

interface Move {
  readonly selected: Selected | null;
  readonly key: string;
}

/** The bar to which a key leads; null: the key means something else, or there is none. */
export function barAt(all: readonly (readonly Bar[])[], { selected, key }: Move): Bar | null {
  const lanes = all.filter((bars) => bars.length > 0);
  const holds = ({ attempts }: Bar): boolean =>
    selected !== null &&
    attempts.some(({ step, attempt }) => step === selected.step && attempt === selected.attempt);
  const lane = lanes.findIndex((bars) => bars.some(holds));
  const bars = lanes[lane] ?? lanes[0] ?? [];
  const current = bars.find(holds) ?? null;
  const index = current === null ? -1 : bars.indexOf(current);
  switch (key) {
    case "Enter":
    case " ":
      return current ?? bars[0] ?? null;
    case "ArrowRight":
      return bars[index + 1] ?? null;
    case "ArrowLeft":
      return bars[index - 1] ?? null;
    case "Home":
      return bars[0] ?? null;
    case "End":
      return bars.at(-1) ?? null;
    case "ArrowDown":
      return nearest(lanes[lane + 1], current);
    case "ArrowUp":
      return nearest(lanes[lane - 1], current);
    default:
      return null;
  }
}

function nearest(bars: readonly Bar[] = [], current: Bar | null): Bar | null {
  const x = current?.x ?? 0;
  return bars.reduce<Bar | null>(
    (best, bar) => (best === null || Math.abs(bar.x - x) < Math.abs(best.x - x) ? bar : best),
    null,
  );
}
