import { AgentHeartbeat, limits, StepProgress, storableText } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { AttemptSignOfTask, SchedulerStore } from "@holdfast/state-store";
import { readEach, unreadableFields } from "./deliveries.ts";

interface HeartbeatDependencies {
  readonly store: Pick<
    SchedulerStore,
    "recordHeartbeats" | "recordAttemptSigns" | "rememberOutage"
  >;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

/**
 * Keeps what Agents say of themselves, and of the attempts that they are at work on. Each under its
 * own name: that is what the broker lets through.
 */
export function recordHeartbeats({ store, log, clock }: HeartbeatDependencies) {
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
      keep(batch.filter(isSign), readProgress, (messages) => recordProgress(store, messages)),
    ]);
  };
}

/** What an Agent says of its attempts. */
interface SaidProgress {
  readonly agent: string;
  readonly signs: readonly AttemptSignOfTask[];
  /** Milliseconds for which its answers did not arrive. */
  readonly unansweredFor: number;
}

async function recordProgress(
  store: HeartbeatDependencies["store"],
  messages: readonly SaidProgress[],
): Promise<void> {
  const signs = messages.flatMap((message) => message.signs);
  const unanswered = Map.groupBy(
    messages.filter(({ unansweredFor }) => unansweredFor > 0),
    ({ agent }) => agent,
  );
  await Promise.all([
    signs.length > 0 ? store.recordAttemptSigns(signs) : null,
    ...[...unanswered].map(([agent, said]) =>
      store.rememberOutage({
        part: `agent ${agent}`,
        lasted: Math.max(...said.map(({ unansweredFor }) => unansweredFor)),
      }),
    ),
  ]);
}

const isSign = ({ type }: Delivery): boolean => type === StepProgress.type;

function readBeat({ body, routingKey }: Delivery): readonly AgentHeartbeat[] {
  const heartbeat = AgentHeartbeat.decode(body);
  return routingKey === `heartbeat.${heartbeat.agent}` ? [heartbeat] : [];
}

/**
 * Who says it is known by the route alone, which may be any bytes: the store must be able to hold
 * it.
 */
function senderOf(routingKey: string): string {
  const [, agent = ""] = routingKey.split(".");
  if (agent !== "" && storableText(agent, limits.name) === agent) return agent;
  throw new ContractFault("message.malformed", "The routing key names no Agent");
}

function readProgress({ body, routingKey }: Delivery): readonly [SaidProgress] {
  const agent = senderOf(routingKey);
  const { attempts, unansweredMs: unansweredFor = 0 } = StepProgress.decode(body);
  const signs = attempts.map(({ runningMs: runningFor, heartbeat, ...one }) => ({
    ...one,
    agent,
    runningFor,
    beats: heartbeat !== undefined,
    progress: heartbeat === undefined || Object.keys(heartbeat).length === 0 ? null : heartbeat,
  }));
  return [{ agent, signs, unansweredFor }];
}
