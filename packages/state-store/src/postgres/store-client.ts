import { callbackify } from "node:util";
import { errorText, TransientFault } from "@holdfast/domain";
import { type FailedAttempt, type ServerAccess, storeConnection } from "@holdfast/runtime";
import { Client, type ClientBase, type ClientConfig, DatabaseError } from "pg";

type Connected = (error: Error | null, client?: Client) => void;

/** How long a connect may take, in milliseconds. */
export const connectWithin = 5_000;
/**
 * How long a client waits at most until it may try, in milliseconds: longer, and it fails as the
 * last one did.
 */
const turnWithin = 150;

interface ClientOptions {
  /** A server that accepts no writes, such as a standby, counts as unreachable. */
  readonly writable: boolean;
  /** What this process knows of the store; without it, each client tries at once. */
  readonly access?: ServerAccess;
  /** Whether no further connection is made: the process stops, and the server does not answer. */
  readonly isOver?: () => boolean;
}

/**
 * Makes a client class for a store on one or several servers, whose URLs it reads anew for each
 * client. A new client connects to the server that the last one reached; when that fails, the next
 * client tries the next server.
 */
export function storeClient(
  urls: () => readonly string[],
  { writable, access, isOver = () => false }: ClientOptions,
): new (
  config?: ClientConfig,
) => Client {
  let current = 0;

  return class StoreClient extends Client {
    readonly #server = current;
    readonly #servers: number;
    /** Why the settings of the connection cannot be used, such as a certificate that is gone. */
    readonly #unusable: unknown;

    constructor(config?: ClientConfig) {
      const servers = urls();
      const { settings, unusable } = connectionTo(servers[current % servers.length] ?? "");
      super({ ...config, ...settings });
      this.#servers = servers.length;
      this.#unusable = unusable;
      // The pool adds its own listener after this client has connected. Node ends the process on an
      // "error" event without one.
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
        if (isOver()) throw stoppedWaiting();
        if (access === undefined) return await this.#try();
        const how = { within: turnWithin, explain: explainFailure };
        return await access.attempt(() => this.#try(), how);
      } catch (error) {
        this.end().catch(() => {});
        throw access === undefined ? error : asUnavailable(error);
      }
    }

    async #try(): Promise<Client> {
      try {
        if (this.#unusable !== null) throw this.#unusable;
        await super.connect();
        if (writable) await mustBeWritable(this);
        return this;
      } catch (error) {
        if (current === this.#server) current = (current + 1) % this.#servers;
        throw error;
      }
    }
  };
}

const stoppedWaiting = (): TransientFault =>
  new TransientFault("store.unavailable", "Postgres does not answer, and this process stops");

/**
 * What the driver is given; a file that cannot be read is a failed attempt, and not one of the
 * pool's.
 */
function connectionTo(url: string): {
  readonly settings: ClientConfig;
  readonly unusable: unknown;
} {
  try {
    return { settings: storeConnection(url), unusable: null };
  } catch (unusable) {
    return { settings: {}, unusable };
  }
}

/** Connects to the one of the servers that accepts writes. */
export async function connectStore(urls: readonly string[], config: ClientConfig): Promise<Client> {
  const StoreClient = storeClient(() => urls, { writable: true });
  for (let left = urls.length; ; left -= 1) {
    try {
      return await new StoreClient(config).connect();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/**
 * Throws `store.unavailable` where the server accepts no writes: a standby, or one set to
 * read-only.
 */
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

/**
 * Refused login (invalid_authorization_specification), unknown database, no right to connect to it.
 */
const refusals = /^(28|3D000|42501)/;
/** Protocol violation: what PgBouncer says for all that it refuses. */
const byPooler = "08P01";
const poolerRefusals = /authentication failed|no such (user|database)/;

/** What an error of an attempt to connect to Postgres means. */
function explainFailure(error: unknown): FailedAttempt {
  return { kind: isRefusal(error) ? "refused" : "away", reason: errorText(error) };
}

/**
 * A database that does not let us in is unavailable: it may do so later, as a server that is away
 * may come back.
 */
function asUnavailable(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  return new TransientFault("store.unavailable", error.message, {
    cause: error,
    details: { sqlstate: error.code ?? "none" },
  });
}

function isRefusal(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  if (error.code === byPooler) return poolerRefusals.test(error.message);
  return refusals.test(error.code ?? "");
}
