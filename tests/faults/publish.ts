import { connect } from "amqplib";
import type { FaultySystem } from "./harness.ts";

/** Publishes as the broker's administrator, who may write anywhere; or as the user whom `url` names. */
export async function publish(
  faulty: FaultySystem,
  {
    exchange,
    routingKey,
    body,
    url = faulty.broker?.url ?? "",
    ...properties
  }: {
    exchange: string;
    routingKey: string;
    body: string;
    messageId?: string;
    replyTo?: string;
    correlationId?: string;
    url?: string;
  },
): Promise<void> {
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createConfirmChannel();
  channel.publish(exchange, routingKey, Buffer.from(body), properties);
  await channel.waitForConfirms();
  await connection.close();
}
