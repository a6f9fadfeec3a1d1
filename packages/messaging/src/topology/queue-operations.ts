import type { Channel } from "amqplib";
import type { Broker } from "../broker.ts";
import { isolatedChannel } from "../connection/isolated-channel.ts";

/** Inspects and binds single queues, on a channel that a refusal may close. */
export function queueOperations(
  createChannel: () => Promise<Channel>,
): Pick<Broker, "inspect" | "bind"> {
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
  };
}
