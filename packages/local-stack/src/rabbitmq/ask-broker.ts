import { type ConfirmChannel, connect } from "amqplib";

/**
 * Milliseconds. On a busy machine a broker that runs answers late, and one that is away refuses at
 * once.
 */
const answerWithin = 30_000;

/** Opens a connection and a confirm channel, does something with it, and closes both. */
export async function askBroker<Answer>(
  url: string,
  ask: (channel: ConfirmChannel) => Promise<Answer>,
): Promise<Answer> {
  const connection = await connect(url, { noDelay: true, timeout: answerWithin });
  connection.on("error", () => {});
  try {
    const channel = await connection.createConfirmChannel();
    // A fault of the channel reaches the caller by the call that it fails.
    channel.on("error", () => {});
    return await ask(channel);
  } finally {
    await connection.close().catch(() => {});
  }
}
