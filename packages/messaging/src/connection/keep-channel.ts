import { setTimeout as sleep } from "node:timers/promises";
import { errorText, TransientFault } from "@holdfast/domain";
import { causeOf, failureLog, unlessAborted } from "@holdfast/runtime";
import type { Channel } from "amqplib";

export interface ChannelLog {
  warn(fields: object, message: string): void;
}

export interface KeptChannel<C extends Channel> extends AsyncDisposable {
  /** The channel; null while there is none. */
  readonly current: C | null;
  /**
   * Opens a new channel; the one there is stays until then, and is closed once `closing` is done.
   */
  replace(): void;
}

interface KeepOptions<C extends Channel> {
  readonly name: string;
  /** Waits for a connection, if there is none at the moment. */
  readonly create: () => Promise<C>;
  /** Prepares each new channel: declares, consumes. */
  readonly open: (channel: C) => Promise<void>;
  /** Finishes the work on a channel that is about to be closed. */
  readonly closing: (channel: C) => Promise<void>;
  /** Ends it as disposal does, but does not wait: what it is opened on is being closed. */
  readonly signal: AbortSignal;
  /** Ends the first opening: then it rejects with its reason. It does nothing later. */
  readonly starting?: AbortSignal | undefined;
  readonly log: ChannelLog;
  /** How long the first opening may fail, in milliseconds. */
  readonly openWithin?: number;
}

const minDelay = 50;
/** Milliseconds. Short, because RabbitMQ may refuse a queue for a moment after it restarted. */
const maxDelay = 1_000;
const startWithin = 30_000;
const timeout = 2_000;

/**
 * Keeps one channel open. The client repairs connections but not a channel that died by itself, so
 * a channel is replaced whatever it died of. Resolves once it is open for the first time; throws
 * `broker.refused` when that keeps failing. Disposing waits for `closing`, however long it takes.
 */
export async function keepChannel<C extends Channel>(
  options: KeepOptions<C>,
): Promise<KeptChannel<C>> {
  const { name, create, open, closing, log, starting, openWithin = startWithin } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, options.signal]);
  const opened = Promise.withResolvers<void>();
  const giveUpAt = performance.now() + openWithin;
  let wasOpen = false;
  let current: C | null = null;
  let replaced = Promise.withResolvers<void>();
  const lines = failureLog();
  let retired: Promise<void> = Promise.resolve();

  const end = async (channel: C): Promise<void> => {
    await closing(channel);
    await bounded(channel.close());
  };

  /**
   * Resolves when the channel is closed, or is to be replaced: then it is `current` until the next
   * one is open.
   */
  const keepOnce = async (): Promise<void> => {
    // No race with a promise of the whole life: it would keep the channel of each race in memory.
    const channel = await unlessAborted(create(), signal);
    const closed = Promise.withResolvers<void>();
    let reason: unknown = new Error("The channel was closed while it was being prepared");
    channel.on("error", (err) => {
      reason = err;
      if (current === channel) log.warn({ err, channel: name }, "channel failed");
    });
    channel.on("close", () => {
      if (current === channel) current = null;
      closed.resolve();
    });
    try {
      const failed = closed.promise.then(() => fail(reason));
      await unlessAborted(Promise.race([open(channel), failed]), signal);
    } catch (err) {
      await bounded(channel.close());
      throw err;
    }
    if (current !== null) retired = Promise.all([retired, end(current)]).then(() => undefined);
    current = channel;
    wasOpen = true;
    lines.succeeded();
    replaced = Promise.withResolvers();
    opened.resolve();
    const isOver = Promise.race([closed.promise, replaced.promise]);
    await unlessAborted(isOver, signal).catch(() => {});
  };

  const onFailure = (err: unknown): void => {
    if (signal.aborted) return;
    const count = lines.failed(causeOf(err));
    if (count !== null) {
      log.warn({ err, channel: name, failures: count }, "channel opening failed");
    }
    if (wasOpen || performance.now() < giveUpAt) return;
    stop.abort();
    const message = `RabbitMQ refused the channel "${name}": ${errorText(err)}`;
    opened.reject(new TransientFault("broker.refused", message, { cause: err }));
  };

  const keep = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const startedAt = performance.now();
      await keepOnce().catch(onFailure);
      if (performance.now() - startedAt > maxDelay) failures = 0;
      const delay = Math.min(maxDelay, minDelay * 2 ** failures);
      await sleep(delay, undefined, { signal }).catch(() => {});
    }
    const last = current;
    current = null;
    if (last !== null) await end(last);
    await retired;
  };

  const ended = keep().finally(() => {
    const message = `The broker connection was closed before the channel "${name}" was open`;
    opened.reject(new TransientFault("broker.closed", message));
  });
  const give = (): void => {
    stop.abort();
    opened.reject(starting?.reason);
  };
  if (starting?.aborted) give();
  starting?.addEventListener("abort", give, { once: true });
  await opened.promise.finally(() => starting?.removeEventListener("abort", give));
  return {
    get current() {
      return current;
    },
    replace: () => replaced.resolve(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** A channel may be closed already, and a broker that is gone does not answer. */
async function bounded(closing: Promise<void>): Promise<void> {
  await Promise.race([closing.catch(() => {}), sleep(timeout, undefined, { ref: false })]);
}

function fail(reason: unknown): never {
  throw reason;
}
