import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import type { HostileMessage } from "../inputs/input.ts";

/** What became of a message: the broker took it, or refused it by closing the channel. */
type Published = "taken" | "refused";

export interface MessageSender extends AsyncDisposable {
  send(message: HostileMessage): Promise<Published>;
}

/**
 * Publishes on a connection of its own. Messages for which the broker closes the channel go through a
 * second one, so that they take no others with them.
 */
export async function openMessageSender(brokerUrl: string): Promise<MessageSender> {
  const connection = await connect(brokerUrl, { noDelay: true });
  connection.on("error", () => {});
  const usual = reopened(connection);
  const refusing = reopened(connection);
  return {
    async send(message) {
      const channel = message.closesChannel ? refusing : usual;
      return publish(await channel(), message);
    },
    async [Symbol.asyncDispose]() {
      await connection.close().catch(() => {});
    },
  };
}

/** A channel, and a new one when the broker has closed it. */
function reopened(connection: ChannelModel): () => Promise<ConfirmChannel> {
  let current: Promise<ConfirmChannel> | null = null;
  const open = async (): Promise<ConfirmChannel> => {
    const channel = await connection.createConfirmChannel();
    channel.on("error", () => {});
    channel.once("close", () => (current = null));
    return channel;
  };
  return () => (current ??= open());
}

function publish(channel: ConfirmChannel, message: HostileMessage): Promise<Published> {
  const { exchange, routingKey, body, properties } = message;
  return new Promise((resolve) => {
    const closed = () => resolve("refused");
    channel.once("close", closed);
    channel.setMaxListeners(0);
    try {
      channel.publish(exchange, routingKey, body, properties, (error: unknown) => {
        channel.off("close", closed);
        resolve(error === null || error === undefined ? "taken" : "refused");
      });
    } catch {
      // Our own client does not write such a property.
      channel.off("close", closed);
      resolve("refused");
    }
  });
}
