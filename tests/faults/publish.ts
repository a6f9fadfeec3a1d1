import { connect, type Options } from "amqplib";
import type { FaultySystem } from "./faulty-system.ts";

/** A message with any properties. */
export interface AnyMessage extends Options.Publish {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: string;
}

/**
 * Publishes as the broker's administrator, who may write anywhere; or as the user whom `url` names.
 */
export const publish = (
  faulty: FaultySystem,
  { url, ...message }: AnyMessage & { readonly url?: string },
): Promise<void> => publishAll(faulty, [message], url);

/** Publishes many messages over one connection. Resolves when the broker has them. */
export async function publishAll(
  faulty: FaultySystem,
  messages: Iterable<AnyMessage>,
  url = faulty.broker?.url ?? "",
): Promise<void> {
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createConfirmChannel();
  for (const { exchange, routingKey, body, ...properties } of messages) {
    channel.publish(exchange, routingKey, Buffer.from(body), properties);
  }
  await channel.waitForConfirms();
  await connection.close();
}
