import { connect } from "amqplib";
import type { FaultySystem } from "./harness.ts";

/** Publishes as anybody could who has got at the broker. */
export async function publish(
  faulty: FaultySystem,
  {
    exchange,
    routingKey,
    body,
    messageId,
  }: { exchange: string; routingKey: string; body: string; messageId?: string },
): Promise<void> {
  const connection = await connect(faulty.broker?.url ?? "", { noDelay: true });
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
