import { setTimeout as sleep } from "node:timers/promises";
import { storeConnection } from "@holdfast/runtime";
import { Client, type Pool } from "pg";

/**
 * Milliseconds from the signal to stop, or from one question, to the next: what is in progress
 * mostly ends sooner.
 */
const askEvery = 500;
/** Milliseconds within which a server answers a connection and a statement, or counts as silent. */
const answerWithin = 1_000;

/** What ends the connections of a pool, and refuses further ones. */
export interface Ending {
  /** Whether it has: the process stops, and the server is silent. */
  readonly isOver: boolean;
  /** Learns which connections there are. */
  track(pool: Pool): void;
  /** Watches the server from the signal on. What it returns ends that. */
  watch(signal: AbortSignal): () => void;
}

/**
 * Ends the connections of a pool once its process is to stop and its server answers nothing. While
 * it does, all that is in progress is finished. A server that is silent settles none of it: then
 * the connections end, so that the process does, and not only when its grace is over. What was in
 * progress is then as after a lost connection.
 */
export function endWhenSilent(urls: () => readonly string[]): Ending {
  const clients = new Set<Client>();
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    track(pool) {
      pool.on("connect", (client) => void clients.add(client as unknown as Client));
      pool.on("remove", (client) => void clients.delete(client as unknown as Client));
    },
    watch(signal) {
      const over = new AbortController();
      const onStop = async (): Promise<void> => {
        await sleep(askEvery, undefined, { ref: false });
        while (!over.signal.aborted && !(await isSilent(clients, urls()))) {
          await sleep(askEvery, undefined, { ref: false });
        }
        if (over.signal.aborted) return;
        isOver = true;
        for (const client of clients) streamOf(client).destroy();
      };
      const begin = (): void => void onStop();
      signal.addEventListener("abort", begin, { once: true });
      return () => {
        over.abort();
        signal.removeEventListener("abort", begin);
      };
    },
  };
}

/**
 * Whether the server of these clients answers nothing. What refuses a connection answers: what
 * waits for it fails soon.
 */
async function isSilent(clients: ReadonlySet<Client>, urls: readonly string[]): Promise<boolean> {
  const [one] = clients;
  // With several servers, the one that they are connected to.
  const url = urls.find(
    (server) => serverOf(new Client(storeConnection(server))) === serverOf(one),
  );
  const timeouts = { connectionTimeoutMillis: answerWithin, query_timeout: answerWithin };
  const probe = new Client({ ...storeConnection(url ?? urls[0] ?? ""), ...timeouts });
  probe.on("error", () => {});
  try {
    await probe.connect();
    await probe.query("select 1");
    return false;
  } catch (error) {
    return /timeout/i.test((error as Error).message);
  } finally {
    streamOf(probe).destroy();
  }
}

const serverOf = (client: Client | undefined): string | null =>
  client === undefined ? null : `${client.host}:${client.port}`;

const streamOf = (client: Client) =>
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } })
    .connection.stream;
