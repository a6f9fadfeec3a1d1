import { AgentHeartbeat, heartbeatExchange, heartbeatRoute } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { ServedAgent } from "./serve-agent.ts";

interface Options {
  readonly broker: Pick<Broker, "publish">;
  readonly served: readonly ServedAgent[];
  /** How many steps each of them does at a time. */
  readonly capacity: number;
  readonly instance: string;
  /** The user of our connection: the broker vouches for it. */
  readonly userId: string;
}

/** Milliseconds. Who has not been heard of for two of them is in trouble. */
const every = 5_000;

/** One round: says of each Agent here that it is there, and how it is. */
export const sendHeartbeats =
  ({ broker, served, capacity, instance, userId }: Options) =>
  async (): Promise<number> => {
    await Promise.all(
      served.map((agent) =>
        broker.publish({
          exchange: heartbeatExchange,
          routingKey: heartbeatRoute(agent.name),
          type: AgentHeartbeat.type,
          messageId: `${instance}:${agent.name}`,
          userId,
          fleeting: true,
          body: AgentHeartbeat.encode({ agent: agent.name, instance, capacity, ...agent.health() }),
        }),
      ),
    );
    return every;
  };
