import { storeUrls, systemClock, within } from "@holdfast/runtime";
import type { Client } from "pg";
import { accessTo, type ConnectionOptions, sharesSessions } from "../postgres/pool.ts";
import { connectWithin, storeClient } from "../postgres/store-client.ts";

interface ListenOptions extends Pick<ConnectionOptions, "url" | "applicationName"> {
  /** The channel, which no other process listens to. */
  readonly channel: string;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Called once what is enqueued from now on is noticed, and with false once it is no longer. */
  readonly onListening: (isListening: boolean) => void;
  /** Called for each notification. */
  readonly onEnqueued: () => void;
}

/**
 * Milliseconds of one connection: as those of the pool, none leads for longer to a server that was
 * replaced.
 */
const maxLifetime = 600_000;
/** Milliseconds. */
const endWithin = 2_000;

/**
 * Listens to what applications enqueue, over a connection of its own, until that ends or has lasted
 * for some minutes. `pooled`: a pooler is in between, which hands no notifications on. Throws where
 * the store cannot be reached.
 */
export async function listenToInbox(options: ListenOptions): Promise<"ended" | "pooled"> {
  const { url, applicationName, channel, signal, onListening, onEnqueued } = options;
  const access = typeof url === "string" ? accessTo(url) : url;
  if (sharesSessions(access.url)) return "pooled";
  const StoreClient = storeClient(() => storeUrls(access.url), { writable: true, access });
  const client = new StoreClient({
    application_name: applicationName,
    connectionTimeoutMillis: connectWithin,
    query_timeout: connectWithin,
    keepAlive: true,
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  client.on("end", end);
  client.on("notification", onEnqueued);
  await client.connect();
  const timer = setTimeout(end, maxLifetime * (0.8 + 0.2 * Math.random()));
  signal.addEventListener("abort", () => end(), { once: true });
  try {
    if (await isPooled(client)) return "pooled";
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onListening(true);
    if (!signal.aborted) await ended;
    return "ended";
  } finally {
    clearTimeout(timer);
    onListening(false);
    // A server that is silent does not answer to a goodbye.
    await within(client.end(), endWithin, systemClock);
  }
}

/** Whether the process that answers is another one than that which was connected to. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid !== (client as Client & { readonly processID: number | null }).processID;
}
