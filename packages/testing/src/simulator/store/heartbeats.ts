import { heartbeatLife } from "@holdfast/domain";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";

type Beating = Pick<
  AtOnce<SimulatedStore>,
  "recordHeartbeats" | "findAgentSlots" | "findContractDifferences"
>;

/** Keeps what Agents say of themselves, and tells what those that live have room for. */
export const beating = ({ heartbeats, now }: StoreState): Beating => ({
  recordHeartbeats(beats) {
    for (const beat of beats) {
      const livesUntil = now() + heartbeatLife(beat);
      const key = `${beat.agent} ${beat.instance}`;
      heartbeats.delete(key);
      heartbeats.set(key, { beat, livesUntil });
    }
  },

  // Instances see by each request whether they can read it.
  findContractDifferences: () => [],

  findAgentSlots() {
    const living = [...heartbeats.values()].filter(({ livesUntil }) => livesUntil > now());
    // The last one that was seen is the last of the map.
    const byLane = Map.groupBy(living.toReversed(), ({ beat }) => beat.agent);
    return [...byLane].map(([lane, instances]) => ({
      lane,
      slots: instances.map(({ beat }) => beat.capacity),
      busy: instances.reduce((busy, { beat }) => busy + beat.inFlight, 0),
    }));
  },
});
