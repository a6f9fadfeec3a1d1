import { callbackify } from "node:util";
import { ContractFault, TransientFault } from "@holdfast/domain";
import { Client, type ClientBase, type ClientConfig } from "pg";

type Connected = (error: Error | null, client?: Client) => void;

/**
 * Makes a client class for a store on one or several servers. Each new client connects to the server
 * that the last one reached; when that fails, the next client tries the next server. With
 * `writable` a server that accepts no writes, such as a standby, counts as unreachable.
 */
export function storeClient(
  urls: readonly string[],
  { writable }: { readonly writable: boolean },
): new (
  config?: ClientConfig,
) => Client {
  const servers = urls.map(withoutTarget);
  let current = 0;

  return class StoreClient extends Client {
    readonly #server = current;

    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: servers[current] });
      // The pool adds its own listener after this client has connected. Node ends the process on an "error" event without one.
      this.on("error", () => {});
    }

    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | void {
      if (callback === undefined) return this.#reach();
      callbackify(() => this.#reach())(callback);
    }

    async #reach(): Promise<Client> {
      try {
        await super.connect();
        if (writable) await mustBeWritable(this);
        return this;
      } catch (error) {
        if (current === this.#server) current = (current + 1) % servers.length;
        this.end().catch(() => {});
        throw error;
      }
    }
  };
}

/** Connects to the one of the servers that accepts writes. */
export async function connectStore(urls: readonly string[], config: ClientConfig): Promise<Client> {
  const StoreClient = storeClient(urls, { writable: true });
  for (let left = urls.length; ; left -= 1) {
    try {
      return await new StoreClient(config).connect();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** Throws `store.unavailable` where the server accepts no writes: a standby, or one set to read-only. */
export async function mustBeWritable(client: Pick<ClientBase, "query">): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    "show transaction_read_only",
  );
  if (rows[0]?.transaction_read_only !== "on") return;
  throw new TransientFault(
    "store.unavailable",
    "The Postgres server is read-only: it is a standby, or default_transaction_read_only is on",
    { details: { sqlstate: "25006" } },
  );
}

const targets = ["read-write", "primary"];

/** The driver does not know `target_session_attrs`; every connection here must accept writes. */
function withoutTarget(url: string): string {
  const address = new URL(url);
  const target = address.searchParams.get("target_session_attrs");
  if (target === null) return url;
  if (!targets.includes(target)) {
    throw new ContractFault(
      "config.invalid",
      `STATE_STORE_URL: target_session_attrs is "${target}", but the store needs read-write`,
    );
  }
  address.searchParams.delete("target_session_attrs");
  return address.href;
}
