import { setTimeout as sleep } from "node:timers/promises";
import { ContractFault, type Fault, TransientFault } from "@holdfast/domain";
import { serverUrls } from "@holdfast/runtime";
import { Pool, type PoolClient } from "pg";
import { type Database, query } from "./query.ts";
import { mustBeWritable, storeClient } from "./store-client.ts";
import { toStoreFault } from "./store-fault.ts";
import { breakConnections } from "./store-faults.ts";

export interface ConnectionOptions {
  /** May name several servers, `postgres://user@a,b/db`: the one that accepts writes is used. */
  readonly url: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
}

/** Milliseconds. */
const connectWithin = 5_000;
/** Milliseconds. Shorter, because another server may answer. */
const connectToOneOfSeveralWithin = 2_000;
/** Seconds, of a connection. After a name or a proxy has moved on, none leads to the old server for longer. */
const longestLife = 600;

/**
 * Connections whose last commit is on this server only: the synchronous standby did not confirm it within
 * `statement_timeout`. Postgres says so in a warning of this routine, and reports the commit as done.
 */
const unreplicated = new WeakSet<object>();
const waitsForStandby = "SyncRepWaitForLSN";

const sessionLimits = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** A pool whose every limit is set: nothing here waits for ever. */
export function openPool({ url, applicationName, maxConnections }: ConnectionOptions): Pool {
  const behindPooler = sharesSessions(url);
  const urls = serverUrls(url).map(behindPooler ? withoutPooler : withOnePlan);
  const pool = new Pool({
    Client: storeClient(urls, { writable: true }),
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: urls.length === 1 ? connectWithin : connectToOneOfSeveralWithin,
    idleTimeoutMillis: 0,
    // Not all at the same moment, where several processes started together.
    maxLifetimeSeconds: Math.round(longestLife * (0.8 + 0.2 * Math.random())),
    keepAlive: true,
    // For a server that is silent: it can end nothing. Longer than `statement_timeout`, which says why.
    query_timeout: 12_000,
    ...(behindPooler ? {} : sessionLimits),
    pipeline: true,
  });
  // A connection that breaks while nobody uses it is simply replaced; without a listener it would
  // end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    client.on("notice", (notice) => {
      if (notice.routine === waitsForStandby) unreplicated.add(client);
    });
  });
  if (behindPooler) pool.on("connect", sendUnnamed);
  breakConnections(pool, process.env["HOLDFAST_STORE_FAULTS"]);
  return pool;
}

/**
 * Every statement here has one good plan, whatever its parameters and however large the tables:
 * nested loops over indexes. Left to itself the planner plans the claim anew each time, which takes
 * longer than the claim, or keeps a plan that it made when the tables were empty. Asked for at the
 * start of a connection, so no session state is needed.
 */
export const planner = [
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  // What is read in an order has an index in that order, and is read no further than asked for.
  "enable_bitmapscan=off",
  "enable_sort=off",
  // Before Postgres 18 what is off counts as very expensive, which would have each plan compiled.
  "jit=off",
];

/** The URL itself is not quoted: it may hold a password. */
function toAddress(url: string): URL {
  const address = URL.parse(url);
  if (address !== null) return address;
  const what = url === "" ? "is empty" : "is no URL";
  throw new ContractFault(
    "config.invalid",
    `The URL of the state store ${what}: it must be like postgres://user:password@host:5432/database (is STATE_STORE_URL set?)`,
  );
}

function withOnePlan(url: string): string {
  const address = toAddress(url);
  const asked = address.searchParams.get("options") ?? "";
  const options = [asked, ...planner.map((setting) => `-c ${setting}`)];
  address.searchParams.set("options", options.join(" ").trim());
  return address.href;
}

/**
 * `?pooler=transaction`: PgBouncer in front, which gives each transaction another session. It refuses what a
 * session is told at its start, so the login or `connect_query` must set it; and before 1.21 it does not know
 * named statements.
 */
const sharesSessions = (url: string): boolean => /[?&]pooler=transaction(&|$)/.test(url);

function withoutPooler(url: string): string {
  const address = new URL(url);
  address.searchParams.delete("pooler");
  return address.href;
}

/** A statement without a name is parsed each time, and needs nothing of an earlier one. */
const unnamed = (statement: unknown): unknown =>
  typeof statement === "object" ? { ...statement, name: undefined } : statement;

function sendUnnamed(client: PoolClient): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) =>
    send(unnamed(statement), ...rest)) as typeof client.query;
}

/** A transaction about which all is decided; only `commit` is missing. */
export interface Decided<T> {
  /** Statements that are on their way. */
  readonly sent: readonly Promise<unknown>[];
  /**
   * For one that sends its commit along with its begin, and so may lose the id to ask by: whether
   * what it wrote is there to see. Without it nobody knows.
   */
  readonly isThere?: (db: Database) => Promise<boolean>;
  /** What to make of it once it is committed. Answers to `sent` may have been lost all the same. */
  readonly result: () => T | Promise<T>;
}

/**
 * Runs `work` in one transaction and commits it. Whatever `work` throws, or one of its statements,
 * rolls back. When the connection breaks while it commits, the store is asked what became of it: so
 * an error means that nothing was done, except `store.outcome_unknown`, when it could not be asked.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Database) => Promise<Decided<T>>,
): Promise<T> {
  const { begun, decided, failure } = await withClient(pool, async (client, discard) => {
    const beginning = begin(client);
    // Without it nothing that follows succeeds: `work` may be the first to fail, but not with the reason.
    beginning.catch(() => {});
    const worked = await work(client).catch(async (error: unknown) => {
      await beginning;
      throw error;
    });
    const ends = await Promise.allSettled([beginning, ...worked.sent, client.query("commit")]);
    const lost = ends.find(({ status }) => status === "rejected");
    if (lost?.status === "rejected" && isUnavailable(lost.reason)) discard(lost.reason);
    if (unreplicated.delete(client)) throw new TransientFault("store.outcome_unknown", lagging);
    return { begun: await beginning.catch(() => null), decided: worked, failure: lost };
  });
  if (failure?.status === "rejected") {
    const { isThere = async () => false } = decided;
    const find = () => (begun === null ? seen(pool, isThere) : outcomeOf(pool, begun));
    await mustBeCommitted(find, failure.reason);
  }
  return decided.result();
}

/** Resolves when a server answers that accepts writes. */
export const pingStore = (pool: Pool): Promise<void> =>
  withRetries(() => withClient(pool, mustBeWritable));

const lagging =
  "Committed, but the synchronous standby did not confirm it: it may be lost in a failover";

async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient, discard: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const discard = (reason: Error): void => {
    broken = reason;
  };
  try {
    return await work(client, discard);
  } catch (error) {
    broken = await rollBack(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Whether a connection with this error may lead to a server that is of no use any more. */
const isUnavailable = (error: unknown): boolean => toStoreFault(error).code === "store.unavailable";

/** Resolves to what is wrong with the connection. Where nobody answered, nobody is asked again. */
async function rollBack(client: PoolClient, error: unknown): Promise<Error | undefined> {
  if (isUnavailable(error)) return error as Error;
  return client.query("rollback").then(
    () => undefined,
    (cause: Error) => cause,
  );
}

/** What a transaction is known by, to whoever asks later what became of it. */
interface Begun {
  readonly xid: string;
  /** Of the server: another one after each of its crashes, restarts and failovers. */
  readonly incarnation: string;
}

const beginTransaction = query<object, Begun>("begin-transaction");

/** Its id is asked for at once: after a loss it is too late. */
async function begin(client: PoolClient): Promise<Begun> {
  const [, [begun]] = await Promise.all([client.query("begin"), beginTransaction(client, {})]);
  return begun as Begun;
}

const findTransaction = query<{ xid: string }, { status: string | null; incarnation: string }>(
  "find-transaction",
);
/** Postgres has not handed out an id like that: what had it was forgotten in a crash. */
const invalidParameter = "22023";
/** Milliseconds. A server that has not noticed the loss yet may be committing still. */
const outcomeRest = 20;

type WhatBecame = "committed" | "aborted" | "unknown";

async function mustBeCommitted(find: () => Promise<WhatBecame>, reason: unknown): Promise<void> {
  const fault = toStoreFault(reason);
  if (fault.code !== "store.unavailable") throw fault;
  const outcome = await find().catch(() => "unknown");
  if (outcome === "committed") return;
  if (outcome === "aborted") throw fault;
  throw new TransientFault("store.outcome_unknown", fault.message, { cause: reason });
}

/** What is not there may be still to come: a server that was slow to read carries it out later. */
const seen = async (
  pool: Pool,
  isThere: (db: Database) => Promise<boolean>,
): Promise<WhatBecame> => ((await withRetries(() => isThere(pool))) ? "committed" : "unknown");

/**
 * A server that crashed has forgotten the transactions that it had not written yet, and gives their
 * ids to others. So what was committed there may be another one; what was not is ours in no case.
 */
async function outcomeOf(pool: Pool, { xid, incarnation }: Begun): Promise<WhatBecame> {
  const asked = performance.now();
  for (;;) {
    const found = await withRetries(() => findTransaction(pool, { xid })).catch(orNeverBegun);
    if (found === null) return "aborted";
    const [{ status, ...server }] = found as [(typeof found)[number]];
    const isSameServer = server.incarnation === incarnation;
    if (status === "committed") return isSameServer ? "committed" : "unknown";
    if (status === "aborted" || !isSameServer) return "aborted";
    if (status === null || performance.now() - asked > patience) return "unknown";
    await sleep(outcomeRest);
  }
}

function orNeverBegun(fault: Fault): null {
  if (fault.details["sqlstate"] === invalidParameter) return null;
  throw fault;
}

/** Against a store that breaks now and then, not one that is away: whoever asked tries that again. */
const tries = 8;
const longestRest = 100;
/** Milliseconds after which it is not begun anew: one connection that cannot be had takes as long. */
const patience = connectWithin;
const passing = new Set(["store.contention", "store.unavailable"]);

/**
 * Repeats what lost against a rival, and what broke and is safe to repeat, for a short while. Every
 * other error leaves as a `Fault`.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = toStoreFault(error);
      const isLast = attempt === tries || performance.now() - begun > patience;
      if (!passing.has(fault.code) || isLast) throw fault;
      await sleep(Math.random() * Math.min(longestRest, 10 * 2 ** attempt));
    }
  }
}
