import { AgentHeartbeat, StepProgress } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { AttemptSignOfTask, StateStore } from "@holdfast/state-store";
import { readEach, unreadableFields } from "./read-each.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "recordHeartbeats" | "recordAttemptSigns">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Keeps what Agents say of themselves, and of the attempts that they are at work on. Each under its own name: that is
 * what the broker lets through.
 */
export function recordHeartbeats({ store, log, clock }: Dependencies) {
  const keep = async <Message>(
    batch: readonly Delivery[],
    read: (delivery: Delivery) => readonly Message[],
    record: (messages: readonly Message[]) => Promise<void>,
  ): Promise<void> => {
    const { readable, unreadable } = await readEach(batch, read, { clock });
    if (unreadable.length > 0) log.warn(unreadableFields(unreadable), "heartbeats unreadable");
    const messages = readable.flat();
    if (messages.length > 0) await record(messages);
  };
  return async (batch: readonly Delivery[]): Promise<void> => {
    await Promise.all([
      keep(
        batch.filter((delivery) => !isSign(delivery)),
        readBeat,
        store.recordHeartbeats,
      ),
      keep(batch.filter(isSign), readSigns, store.recordAttemptSigns),
    ]);
  };
}

const isSign = ({ type }: Delivery): boolean => type === StepProgress.type;

function readBeat({ body, routingKey }: Delivery): readonly AgentHeartbeat[] {
  const heartbeat = AgentHeartbeat.decode(body);
  return routingKey === `heartbeat.${heartbeat.agent}` ? [heartbeat] : [];
}

function readSigns({ body, routingKey }: Delivery): readonly AttemptSignOfTask[] {
  const [, agent = ""] = routingKey.split(".");
  return StepProgress.decode(body).attempts.map(({ runningMs: runningFor, heartbeat, ...one }) => ({
    ...one,
    agent,
    runningFor,
    beats: heartbeat !== undefined,
    progress: heartbeat === undefined || Object.keys(heartbeat).length === 0 ? null : heartbeat,
  }));
}
