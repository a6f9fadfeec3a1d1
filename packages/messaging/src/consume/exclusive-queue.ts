import type { Channel } from "amqplib";

/** Declares an exclusive queue that the exchange fills; RabbitMQ deletes it with its connection. */
export async function queueFilledBy(channel: Channel, exchange: string): Promise<string> {
  const { queue } = await channel.assertQueue("", {
    exclusive: true,
    autoDelete: true,
    durable: false,
  });
  await channel.bindQueue(queue, exchange, "");
  return queue;
}

/**
 * Stands for the queue that one connection has made its own: holds nothing, goes with the
 * connection.
 */
export const ownerOf = (queue: string): string => `${queue}.owner`;

/**
 * Makes the first of these queues our own that no other connection has, for as long as our
 * connection lives; null: others have them all. The broker lets one connection have an exclusive
 * queue, and deletes it with the connection, so no process has to detect that an owner died.
 */
export async function claimExclusive(
  queues: readonly string[],
  /** The queue that we owned last. It is tried first, so that one connection never owns two. */
  previous: string | null,
  createChannel: () => Promise<Channel>,
): Promise<string | null> {
  const others = queues.filter((queue) => queue !== previous);
  for (const queue of previous === null ? others : [previous, ...others]) {
    // The refusal closes the channel.
    const channel = (await createChannel()).on("error", () => {});
    const isOurs = await channel
      .assertQueue(ownerOf(queue), { exclusive: true, durable: false })
      .then(
        () => true,
        () => false,
      );
    await channel.close().catch(() => {});
    if (isOurs) return queue;
  }
  return null;
}
