import { AgentHeartbeat } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "keepHeartbeats">;
  readonly log: Logger;
}

/** Keeps what Agents say of themselves. Each under its own name: that is what the broker lets through. */
export function keepHeartbeats({ store, log }: Dependencies) {
  const read = (delivery: Delivery): readonly AgentHeartbeat[] => {
    try {
      const heartbeat = AgentHeartbeat.decode(delivery.body);
      return delivery.routingKey === `heartbeat.${heartbeat.agent}` ? [heartbeat] : [];
    } catch (err) {
      log.warn({ err, messageId: delivery.messageId }, "heartbeat unreadable");
      return [];
    }
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const heartbeats = batch.flatMap(read);
    if (heartbeats.length > 0) await store.keepHeartbeats(heartbeats);
  };
}
