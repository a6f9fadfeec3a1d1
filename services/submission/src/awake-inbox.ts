import { randomUUID } from "node:crypto";
import { type Logger, type Metrics, repeat, type ServerAccess } from "@holdfast/runtime";
import { listenToInbox } from "@holdfast/state-store";

/**
 * The channel by which applications wake this process when they enqueue; null: it does not listen.
 */
export interface InboxWakes {
  channel: string | null;
}

interface InboxOptions {
  /**
   * Take in what waits, each of one kind, by the names of their rounds; they resolve to the
   * milliseconds until the next look.
   */
  readonly takers: Readonly<Record<string, () => Promise<number>>>;
  readonly access: ServerAccess;
  readonly instance: string;
  readonly wakes: InboxWakes;
  /** Says at once whether this process listens. */
  readonly announce: () => void;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, "error" | "info">;
  readonly metrics: Metrics;
}

/** Milliseconds between the end of a connection and the next one. */
const reconnectAfter = 100;
/** Milliseconds after which it is looked again whether there is still a pooler. */
const pooledFor = 600_000;

/**
 * Takes in what is in the inboxes when something is enqueued, and once a second: for what was
 * enqueued while something waited, and where notifications do not arrive.
 */
export function awakeInbox({
  takers,
  access,
  instance,
  wakes,
  announce,
  ...service
}: InboxOptions): AsyncDisposable {
  const channel = `holdfast_inbox_${randomUUID()}`;
  const ending = new AbortController();
  const taking = Object.entries(takers).map(([name, take]) => repeat(take, { name, ...service }));
  const wake = () => {
    for (const one of taking) one.wake();
  };
  const onListening = (isListening: boolean): void => {
    wakes.channel = isListening ? channel : null;
    if (!isListening) return;
    announce();
    // For what was enqueued before.
    wake();
  };
  const listen = async (): Promise<number> => {
    const end = await listenToInbox({
      url: access,
      applicationName: instance,
      channel,
      signal: AbortSignal.any([service.signal, ending.signal]),
      onListening,
      onEnqueued: wake,
    });
    if (end === "ended") return reconnectAfter;
    service.log.info({}, "inbox is polled: a pooler hands no notifications on");
    return pooledFor;
  };
  const listening = repeat(listen, { name: "inbox notifications", ...service });
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await listening[Symbol.asyncDispose]();
      await Promise.all(taking.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
