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
  /** Takes in what waits, and resolves to the milliseconds until the next look. */
  readonly take: () => Promise<number>;
  readonly access: ServerAccess;
  readonly instance: string;
  readonly wakes: InboxWakes;
  /** Says at once whether this process listens. */
  readonly announce: () => void;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, "error" | "info">;
  readonly metrics: Metrics;
}

/** What takes in what is in the inboxes. */
export interface AwakeInbox extends AsyncDisposable {
  /** Has it look now. */
  readonly wake: () => void;
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
  take,
  access,
  instance,
  wakes,
  announce,
  ...service
}: InboxOptions): AwakeInbox {
  const channel = `holdfast_inbox_${randomUUID()}`;
  const ending = new AbortController();
  const taking = repeat(take, { name: "inbox", ...service });
  const onListening = (isListening: boolean): void => {
    wakes.channel = isListening ? channel : null;
    if (!isListening) return;
    announce();
    // For what was enqueued before.
    taking.wake();
  };
  const listen = async (): Promise<number> => {
    const end = await listenToInbox({
      url: access,
      applicationName: instance,
      channel,
      signal: AbortSignal.any([service.signal, ending.signal]),
      onListening,
      onEnqueued: taking.wake,
    });
    if (end === "ended") return reconnectAfter;
    service.log.info({}, "inbox is polled: a pooler hands no notifications on");
    return pooledFor;
  };
  const listening = repeat(listen, { name: "inbox notifications", ...service });
  return {
    wake: taking.wake,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await listening[Symbol.asyncDispose]();
      await taking[Symbol.asyncDispose]();
    },
  };
}
