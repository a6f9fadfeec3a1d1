import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "amqplib";

export interface ChannelLog {
  warn(fields: object, message: string): void;
}

export interface KeptChannel<C extends Channel> extends AsyncDisposable {
  /** The channel; null while there is none. */
  readonly current: C | null;
}

interface KeepOptions<C extends Channel> {
  readonly name: string;
  /** Waits for a connection, if there is none at the moment. */
  readonly create: () => Promise<C>;
  /** Prepares each new channel: declares, consumes. */
  readonly open: (channel: C) => Promise<void>;
  readonly closing?: (channel: C) => Promise<void>;
  readonly log: ChannelLog;
}

const shortestRest = 50;
const longestRest = 5_000;

/**
 * Keeps one channel open. The client repairs connections but not a channel that died by itself, so a
 * channel is replaced whatever it died of. Resolves once it is open for the first time.
 */
export async function keepChannel<C extends Channel>(
  options: KeepOptions<C>,
): Promise<KeptChannel<C>> {
  const { name, create, open, closing, log } = options;
  const stop = new AbortController();
  const { promise: opened, resolve: onOpened } = Promise.withResolvers<void>();
  const isStopping = () => stop.signal.aborted;
  let current: C | null = null;

  const keepOnce = async (): Promise<void> => {
    const channel = await create();
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    channel.on("error", (err) => log.warn({ err, channel: name }, "channel failed"));
    channel.on("close", onClosed);
    stop.signal.addEventListener("abort", () => onClosed(), { once: true });
    try {
      await Promise.race([open(channel), closed.then(refuse)]);
      current = channel;
      onOpened();
      await closed;
    } finally {
      current = null;
      if (isStopping()) await closing?.(channel).catch(() => {});
      await channel.close().catch(() => {});
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !isStopping(); failures += 1) {
      const startedAt = performance.now();
      try {
        await keepOnce();
      } catch (err) {
        if (!isStopping()) log.warn({ err, channel: name }, "channel not opened");
      }
      if (performance.now() - startedAt > longestRest) failures = 0;
      const rest = Math.min(longestRest, shortestRest * 2 ** failures);
      await sleep(rest, undefined, { signal: stop.signal }).catch(() => {});
    }
  };

  const ended = run();
  await opened;
  return {
    get current() {
      return current;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.race([ended, sleep(2_000, undefined, { ref: false })]);
    },
  };
}

function refuse(): never {
  throw new Error("The channel was closed while it was being prepared");
}
