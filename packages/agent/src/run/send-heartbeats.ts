import { AgentHeartbeat, heartbeatExchange, heartbeatRoute, limits } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { ServedAgent } from "../serve/serve-agent.ts";

interface HeartbeatOptions {
  readonly broker: Pick<Broker, "publish">;
  readonly served: readonly ServedAgent[];
  readonly instance: string;
  /** The user of our connection: the broker vouches for it. */
  readonly userId: string;
}

/** Milliseconds. An instance that misses two heartbeats in a row counts as gone. */
const everyMs = 1_000;

/** One round: publishes a heartbeat with the slots and the health of each Agent of this process. */
export const sendHeartbeats = (options: HeartbeatOptions) => async (): Promise<number> => {
  await publishAll(options, { everyMs });
  return everyMs;
};

/**
 * The last heartbeat of each Agent of this process, so that the Schedulers count on it no longer.
 */
export const sendLeave = (options: HeartbeatOptions): Promise<void> =>
  publishAll(options, { everyMs, leaving: true });

async function publishAll(
  { broker, served, instance, userId }: HeartbeatOptions,
  presence: Pick<AgentHeartbeat, "everyMs" | "leaving">,
): Promise<void> {
  await Promise.all(
    served.map((agent) =>
      broker.publish({
        exchange: heartbeatExchange,
        routingKey: heartbeatRoute(agent.name),
        type: AgentHeartbeat.type,
        messageId: `${instance}:${agent.name}`,
        userId,
        transient: true,
        body: AgentHeartbeat.encode({
          agent: agent.name,
          instance,
          capacity: agent.concurrency,
          ...healthOf(agent),
          ...presence,
          ...announced(agent),
        }),
      }),
    ),
  );
}

/** What waits for a slot does not count: it is not this instance that needs it. */
function healthOf(agent: ServedAgent): Pick<AgentHeartbeat, "breaker" | "openForMs" | "inFlight"> {
  const { breaker, openForMs, busy } = agent.health();
  return { breaker, openForMs, inFlight: busy };
}

/** Part of a list would read as all of it, so a list that is too long is left out. */
const announced = ({
  operations,
  contracts,
}: ServedAgent): Pick<AgentHeartbeat, "operations" | "contracts"> =>
  operations.length > limits.operations
    ? {}
    : { operations: [...operations], contracts: [...contracts] };
