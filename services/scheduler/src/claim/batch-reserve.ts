import type { LaneCapacity } from "@holdfast/state-store";

/**
 * Reserves a share of the slots of each claim for the band `batch`, so that it gets on while more urgent steps keep
 * coming. Parts of a slot are saved up from claim to claim.
 */
export function batchReserve(percent: number) {
  /** The reserve of each lane that is less than one slot. */
  const saved = new Map<string, number>();
  return (capacity: LaneCapacity): LaneCapacity => {
    if (percent === 0) return capacity;
    const { lane, slots } = capacity;
    const share = (saved.get(lane) ?? 0) + slots * percent;
    saved.set(lane, share % 100);
    return { ...capacity, reserved: Math.floor(share / 100) };
  };
}
