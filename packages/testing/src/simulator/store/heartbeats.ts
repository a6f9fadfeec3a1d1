import { heartbeatLife, trustedSlots } from "@holdfast/domain";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";

type Beating = Pick<AtOnce<SimulatedStore>, "recordHeartbeats" | "findAgentSlots">;

/** Keeps what Agents say of themselves, and tells what those that live have room for. */
export const beating = ({ heartbeats, now }: StoreState): Beating => ({
  recordHeartbeats(beats) {
    for (const beat of beats) {
      const livesUntil = now() + heartbeatLife(beat);
      heartbeats.set(`${beat.agent} ${beat.instance}`, { beat, livesUntil });
    }
  },

  findAgentSlots() {
    const living = [...heartbeats.values()].filter(({ livesUntil }) => livesUntil > now());
    const byLane = Map.groupBy(living, ({ beat }) => beat.agent);
    return [...byLane].map(([lane, instances]) => {
      const slots = instances.map(({ beat }) => beat.capacity);
      const trusted = slots.map((one) => Math.min(one, trustedSlots));
      return { lane, instances: slots.length, slots: sum(slots), trusted: sum(trusted) };
    });
  },
});

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
