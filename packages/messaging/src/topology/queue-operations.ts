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
      const found = await ask((channel) => channel.checkQueue(queue));
      return found && { messages: found.messageCount, consumers: found.consumerCount };
    },
    async bind({ exchange, queue, routingKey }) {
      return (await ask((channel) => channel.bindQueue(queue, exchange, routingKey))) !== null;
    },
  };
}
