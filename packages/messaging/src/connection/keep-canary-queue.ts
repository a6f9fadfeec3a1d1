import type { Channel } from "amqplib";
import { type ChannelLog, keepChannel } from "./keep-channel.ts";

export interface CanaryQueueEvents {
  /** The connection is lost: what the broker confirmed through it may be gone as well. */
  readonly disconnected: () => void;
  /** The broker does not have the canary queue: it is new, or has lost its queues and messages. */
  readonly missing: () => Promise<void>;
}

interface CanaryQueueOptions extends CanaryQueueEvents {
  readonly name: string;
  readonly queue: string;
  readonly createChannel: () => Promise<Channel>;
  /** Ends it: the connection is being closed. */
  readonly signal: AbortSignal;
  /** Ends the wait for the first channel. */
  readonly starting?: AbortSignal | undefined;
  readonly log: ChannelLog;
}

/**
 * Tells a broker that has lost everything from one that was away: looks for a durable queue at each
 * new connection, and declares it only once `missing` has resolved. If we die before, or `missing`
 * fails, the next connection finds no canaryQueue either. Nothing is ever in the queue, and it must
 * be in no definitions that a new broker imports.
 */
export const keepCanaryQueue = (options: CanaryQueueOptions): Promise<AsyncDisposable> => {
  const { name, queue, createChannel, disconnected, missing, signal, starting, log } = options;
  return keepChannel({
    name: `${name} ${queue}`,
    create: createChannel,
    open: async (channel) => {
      channel.once("close", disconnected);
      const found = await lookFor(queue, await createChannel());
      if (found === "refused")
        log.warn({ queue }, "canary queue forbidden: import the broker definitions");
      if (found !== "missing") return;
      await missing();
      await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
    },
    closing: async () => {},
    signal,
    starting,
    log,
  });
};

/** Asks on a channel of its own: a refusal closes it. */
async function lookFor(queue: string, channel: Channel): Promise<"there" | "missing" | "refused"> {
  channel.on("error", () => {});
  try {
    await channel.checkQueue(queue);
    return "there";
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 404) return "missing";
    if (code === 403) return "refused";
    throw error;
  } finally {
    await channel.close().catch(() => {});
  }
}
