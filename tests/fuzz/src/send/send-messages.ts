import { limits } from "@holdfast/contracts";
import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import type { HostileMessage } from "../inputs/input.ts";

/**
 * What became of a message: the broker took it, or refused it by closing the channel or the
 * connection.
 */
type Published = "taken" | "refused";

export interface MessageSender extends AsyncDisposable {
  /** Sends a message, and never rejects: a broker that is away refuses. */
  send(message: HostileMessage): Promise<Published>;
}

/**
 * Publishes on connections of its own. Messages for which the broker may close the channel, also
 * because they are large, go through a connection apart, so that they take no others with them.
 */
export async function openMessageSender(brokerUrl: string): Promise<MessageSender> {
  const usual = reopened(brokerUrl);
  const refusing = reopened(brokerUrl);
  // A URL that is wrong is found out now.
  await usual.channel();
  return {
    async send(message) {
      const mayClose = message.closesChannel || message.body.length > limits.messageBytes;
      const channels = mayClose ? refusing : usual;
      try {
        return await publish(await channels.channel(), message);
      } catch {
        return "refused";
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([usual.close(), refusing.close()]);
    },
  };
}

/** A channel, and another one when the broker has closed it or its connection. */
function reopened(brokerUrl: string) {
  let connection: Promise<ChannelModel> | null = null;
  let channel: Promise<ConfirmChannel> | null = null;

  const openConnection = async (): Promise<ChannelModel> => {
    const opened = await connect(brokerUrl, { noDelay: true });
    opened.on("error", () => {});
    opened.once("close", () => {
      connection = null;
      channel = null;
    });
    return opened;
  };
  const openChannel = async (): Promise<ConfirmChannel> => {
    connection ??= openConnection();
    const opened = await (await connection).createConfirmChannel();
    opened.on("error", () => {});
    opened.setMaxListeners(0);
    opened.once("close", () => (channel = null));
    return opened;
  };
  return {
    async channel(): Promise<ConfirmChannel> {
      channel ??= openChannel();
      try {
        return await channel;
      } catch (error) {
        connection = null;
        channel = null;
        throw error;
      }
    },
    async close(): Promise<void> {
      const opened = await connection?.catch(() => null);
      await opened?.close().catch(() => {});
    },
  };
}

function publish(channel: ConfirmChannel, message: HostileMessage): Promise<Published> {
  const { exchange, routingKey, body, properties } = message;
  return new Promise((resolve) => {
    const closed = () => resolve("refused");
    channel.once("close", closed);
    try {
      channel.publish(exchange, routingKey, body, properties, (error: unknown) => {
        channel.off("close", closed);
        resolve(error === null || error === undefined ? "taken" : "refused");
      });
    } catch {
      // Our own client does not write such a property, or the channel has just been closed.
      channel.off("close", closed);
      resolve("refused");
    }
  });
}
