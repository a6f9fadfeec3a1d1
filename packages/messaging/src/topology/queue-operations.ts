import type { Channel } from "amqplib";
import type { Broker } from "../broker.ts";
import { isolatedChannel } from "../connection/isolated-channel.ts";
import { declareTopology, topologyOfAgent } from "./topology.ts";

/**
 * Inspects, binds and declares single queues, on a channel that a refusal may close. `onAgent`: takes an Agent whose queue
 * is to be declared on later connections, too; null: the topology is the operators'.
 */
export function queueOperations(
  createChannel: () => Promise<Channel>,
  onAgent: ((agent: string) => void) | null,
): Pick<Broker, "inspect" | "bind" | "declareAgent"> {
  const ask = isolatedChannel(createChannel);
  return {
    async inspect(queue) {
      const asked = await ask((channel) => channel.checkQueue(queue));
      if (asked.kind !== "answered") return null;
      const { messageCount: messages, consumerCount: consumers } = asked.answer;
      return { messages, consumers };
    },
    async bind({ exchange, queue, routingKey }) {
      const { kind } = await ask((channel) => channel.bindQueue(queue, exchange, routingKey));
      return kind === "answered" ? "bound" : kind;
    },
    async declareAgent(agent) {
      if (onAgent === null) return false;
      onAgent(agent);
      const { kind } = await ask((channel) => declareTopology(channel, topologyOfAgent(agent)));
      return kind === "answered";
    },
  };
}
