import { connect } from "amqplib";
import type { FaultySystem } from "./harness.ts";

/** Publishes as the broker's administrator, who may write anywhere; or as the user whom `url` names. */
export async function publish(
  faulty: FaultySystem,
  {
    exchange,
    routingKey,
    body,
    messageId,
    url = faulty.broker?.url ?? "",
  }: {
    exchange: string;
    routingKey: string;
    body: string;
    messageId?: string;
    url?: string;
  },
): Promise<void> {
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createConfirmChannel();
  channel.publish(
    exchange,
    routingKey,
    Buffer.from(body),
    messageId === undefined ? {} : { messageId },
  );
  await channel.waitForConfirms();
  await connection.close();
}
