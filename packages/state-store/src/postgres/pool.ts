import { ContractFault, errorText } from "@holdfast/domain";
import {
  connectTimeoutOf,
  type Metrics,
  noMetrics,
  type ServerAccess,
  serverAccess,
  storeUrls,
  unlessAborted,
} from "@holdfast/runtime";
import { Pool, type PoolClient } from "pg";
import { storeMetrics } from "../metrics/store-metrics.ts";
import { mustBeCompatible } from "../migrate/must-be-compatible.ts";
import { breakConnections } from "./connection-faults.ts";
import { type Ending, endWhenSilent } from "./end-when-silent.ts";
import { withPlannerSettings } from "./session-settings.ts";
import { connectWithin, storeClient } from "./store-client.ts";
import { watchReplication, withRetries } from "./transaction.ts";

type Callback = (error: Error | null, result: unknown) => void;
type Send = (statement: unknown, values?: unknown, callback?: Callback) => unknown;

/** Begin, commit and the like, which have no file. */
const control = new Set(["begin", "commit", "rollback"]);

/** Measures each statement of a pool from its sending to its answer, and counts those that fail. */
function measureStatements(pool: Pool, metrics: Metrics): void {
  const took = metrics.histogram(storeMetrics.statement);
  const failed = metrics.counter(storeMetrics.failedStatement);
  metrics.read(storeMetrics.connections, () => [
    [pool.idleCount, "idle"],
    [pool.totalCount - pool.idleCount, "used"],
  ]);
  metrics.read(storeMetrics.maxConnections, () => [[pool.options.max]]);
  metrics.read(storeMetrics.pendingRequests, () => [[pool.waitingCount]]);

  const end = (name: string, from: number, isLost: boolean): void => {
    took((performance.now() - from) / 1_000, name);
    if (isLost) failed(1, name);
  };
  pool.on("connect", (client: PoolClient) => {
    const send = client.query.bind(client) as Send;
    const query: Send = (statement, values, callback) => {
      const name = nameOf(statement);
      if (name === null) return send(statement, values, callback);
      const from = performance.now();
      // As the pool calls it, and as we do.
      if (callback !== undefined) {
        return send(statement, values, (error, result) => {
          end(name, from, Boolean(error));
          callback(error, result);
        });
      }
      const answer = send(statement, values) as Promise<unknown>;
      answer.then(
        () => end(name, from, false),
        () => end(name, from, true),
      );
      return answer;
    };
    client.query = query as typeof client.query;
  });
}

/** The name of its file: what follows a blank is the range of ids. Null: it is not measured. */
function nameOf(statement: unknown): string | null {
  if (typeof statement === "string") return control.has(statement) ? statement : null;
  const { name } = statement as { readonly name?: string };
  if (name === undefined) return null;
  const blank = name.indexOf(" ");
  return blank === -1 ? name : name.slice(0, blank);
}

export interface ConnectionOptions {
  /**
   * May name several servers, `postgres://user@a,b/db`: the one that accepts writes is used. Or
   * what this process knows of the store already: then all that have it connect by turns while it
   * is away.
   */
  readonly url: string | ServerAccess;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** What measures statements and the pool; nothing unless given. */
  readonly metrics?: Metrics;
}

/** Milliseconds. Shorter than `connectWithin`, because another server may answer. */
const connectToOneOfSeveralWithin = 2_000;
/**
 * Seconds, of a connection. After a name or a proxy has moved on, none leads to the old server for
 * longer.
 */
const maxLifetime = 600;

const sessionLimits = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** Opens a pool with a limit on every wait. `ending` may end its connections. */
export function openPool(options: ConnectionOptions, ending?: Ending): Pool {
  const { url, applicationName, maxConnections, metrics = noMetrics } = options;
  const access = typeof url === "string" ? accessTo(url) : url;
  const behindPooler = sharesSessions(access.url);
  const servers = storeUrls(access.url);
  const urls = () =>
    behindPooler ? storeUrls(access.url) : storeUrls(access.url).map(withPlannerSettings);
  const usualTime = servers.length > 1 ? connectToOneOfSeveralWithin : connectWithin;
  const isOver = () => ending?.isOver ?? false;
  const pool = new Pool({
    Client: storeClient(urls, { writable: true, access, isOver }),
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutOf(servers[0]) ?? usualTime,
    idleTimeoutMillis: 0,
    // Not all at the same moment, where several processes started together.
    maxLifetimeSeconds: Math.round(maxLifetime * (0.8 + 0.2 * Math.random())),
    keepAlive: true,
    // For a server that is silent: it can end nothing. Longer than `statement_timeout`, which says
    // why.
    query_timeout: 12_000,
    ...(behindPooler ? {} : sessionLimits),
    pipeline: true,
  });
  // A connection that breaks while it is idle is simply replaced; without a listener it would
  // end the process.
  pool.on("error", () => {});
  pool.on("connect", watchReplication);
  ending?.track(pool);
  if (behindPooler) pool.on("connect", sendUnnamed);
  if (metrics !== noMetrics) measureStatements(pool, metrics);
  breakConnections(pool, process.env["HOLDFAST_STORE_FAULTS"]);
  return pool;
}

/** Access without a service around it: its callers see what it fails with. */
export const accessTo = (url: string): ServerAccess =>
  serverAccess({ name: "state store", read: () => url, log: { warn: () => {} } });

/**
 * `?pooler=transaction`: PgBouncer in front, which gives each transaction another session. It
 * refuses what a session sets at its start, so the login or `connect_query` must set it; and before
 * 1.21 it does not know named statements.
 */
export const sharesSessions = (url: string): boolean =>
  /[?&]pooler=transaction(&|$)/.test(storeUrls(url)[0]);

/** A statement without a name is parsed each time, and needs nothing of an earlier one. */
const unnamed = (statement: unknown): unknown =>
  typeof statement === "object" ? { ...statement, name: undefined } : statement;

function sendUnnamed(client: PoolClient): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) =>
    send(unnamed(statement), ...rest)) as typeof client.query;
}

export interface CheckedOptions extends ConnectionOptions {
  /**
   * The signal to stop: it ends the wait for the server, and from then on nothing waits for one
   * that is silent.
   */
  readonly signal?: AbortSignal;
}

/** A pool on a store whose schema this release can read. */
export interface CheckedPool {
  readonly pool: Pool;
  /** Resolves once all that is in progress has ended. */
  readonly end: () => Promise<void>;
}

/**
 * Opens a pool on a store whose schema this release can read. Throws `store.incompatible` or
 * `store.not_migrated`, and what the signal aborts with when it does.
 */
export async function openCheckedPool({
  signal,
  ...options
}: CheckedOptions): Promise<CheckedPool> {
  const { url } = options;
  const ending = endWhenSilent(() => storeUrls(typeof url === "string" ? url : url.url));
  const pool = openPool(options, ending);
  try {
    await unlessAborted(
      withRetries(() => mustBeCompatible(pool)),
      signal,
    );
  } catch (error) {
    // A server that does not answer keeps its connections for as long as a connect may take.
    const ended = pool.end();
    if (signal?.aborted !== true) await ended;
    throw explained(error);
  }
  const unwatch = signal === undefined ? () => {} : ending.watch(signal);
  return { pool, end: () => pool.end().finally(unwatch) };
}

/** What PgBouncer and its like say of options that a session is started with. */
const refusedOptions = "unsupported startup parameter";

/**
 * A pooler that refuses our connections will do so for ever: no outage, but a setting that is
 * missing.
 */
const explained = (error: unknown): unknown =>
  errorText(error).includes(refusedOptions)
    ? new ContractFault(
        "config.invalid",
        `STATE_STORE_URL leads to a pooler that does not take what services set at the start of a session (${errorText(error)}): add ?pooler=transaction to it, and see PgBouncer in docs/guides/operations.md`,
        { cause: error },
      )
    : error;
