import { AgentHeartbeat } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";
import { readEach, unreadableFields } from "./read-each.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "recordHeartbeats">;
  readonly log: Logger;
}

/** Keeps what Agents say of themselves. Each under its own name: that is what the broker lets through. */
export function recordHeartbeats({ store, log }: Dependencies) {
  return async (batch: readonly Delivery[]): Promise<void> => {
    const { readable, unreadable } = readEach(batch, read);
    if (unreadable.length > 0) log.warn(unreadableFields(unreadable), "heartbeats unreadable");
    const heartbeats = readable.filter((heartbeat) => heartbeat !== null);
    if (heartbeats.length > 0) await store.recordHeartbeats(heartbeats);
  };
}

function read({ body, routingKey }: Delivery): AgentHeartbeat | null {
  const heartbeat = AgentHeartbeat.decode(body);
  return routingKey === `heartbeat.${heartbeat.agent}` ? heartbeat : null;
}
