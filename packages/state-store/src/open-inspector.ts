import { serverUrls } from "@holdfast/runtime";
import { Pool } from "pg";
import { withRetries } from "./database.ts";
import { findKeptOptions, type KeptOptions } from "./find-kept-options.ts";
import { findMigrations } from "./find-migrations.ts";
import { type FoundPooler, findPooler } from "./find-pooler.ts";
import { findTaskFacts } from "./find-task-facts.ts";
import { findUnusable } from "./find-unusable.ts";
import type { Pause } from "./pauses.ts";
import { type Database, query } from "./query.ts";
import { findStandstills } from "./standstills.ts";
import { storeClient } from "./store-client.ts";

export interface InspectorOptions {
  readonly url: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  /** How long one question may take the server, in milliseconds. */
  readonly answerWithin?: number;
}

/** What must never be, and of which task. */
export interface Violation {
  readonly invariant: string;
  readonly taskId: string;
  readonly witness: string | null;
}

/** The server and its settings. `now` is its clock, in milliseconds since 1970. */
export interface ServerFacts {
  readonly version: string;
  readonly major: number;
  readonly isStandby: boolean;
  readonly autovacuum: boolean;
  readonly trackCounts: boolean;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly synchronousCommit: string;
  /** How many connections there may be, of those that are not reserved. */
  readonly places: number;
  readonly connections: number;
  readonly seesAllSessions: boolean;
  readonly now: number;
}

/** What keeps vacuum from its work. `openFor` in milliseconds; null: counted in transactions. */
export interface XminHolder {
  readonly kind: "session" | "prepared transaction" | "replication slot";
  readonly name: string;
  readonly detail: string | null;
  readonly openFor: number | null;
}

export interface UnvacuumedTable {
  readonly name: string;
  readonly dead: number;
  readonly live: number;
  readonly isOff: boolean;
}

/** An Agent that stored workflows need. `longest` in milliseconds. */
export interface AgentNeed {
  readonly agent: string;
  readonly workflows: readonly string[];
  readonly longest: number;
  readonly longestStep: string;
  readonly openSteps: number;
}

export interface Loss {
  readonly kind: "dead letter" | "rejected reply";
  readonly from: string;
  readonly reason: string;
  readonly messages: number;
  readonly latest: Date;
}

/** How many alerts nobody has heard, and how many notices nobody has sent. */
export interface Untold {
  readonly unheard: number;
  readonly unsent: number;
}

/** For how many months there is room. */
export interface PartitionFacts {
  readonly months: number;
  readonly hasNext: boolean;
}

/** What shows whether the server's clock has jumped; instants in milliseconds since 1970. */
export interface ClockFacts {
  readonly now: number;
  /** The last time that a Supervisor has trusted. */
  readonly trustedAt: number;
  /** Since when the clock has been more than a day ahead of that; null: it is not. */
  readonly aheadSince: number | null;
  /** The latest time that is written down. */
  readonly latest: number;
}

export type PauseInForce = Pick<Pause, "kind" | "name" | "actor" | "reason" | "pausedAt">;

/** Late and double replies, which every crash brings about. */
const everyday = ["not_processing", "stale_attempt", "task_finished", "nothing_to_do"];

const findLowestId = query<{ within: number }, { after: string }>("find-lowest-id");
const findRange = query<{ after: string; size: number }, { tasks: number; upto: string | null }>(
  "find-task-range",
);
const findViolations = query<{ after: string; upto: string; batch: number }, Violation>(
  "find-violations-between",
);
const findServer = query<object, ServerFacts>("find-server-facts");
const findHolders = query<{ longerThan: number; furtherThan: number }, XminHolder>(
  "find-xmin-holders",
);
const findUnvacuumed = query<{ moreThan: number }, UnvacuumedTable>("find-unvacuumed-tables");
const findNeeds = query<object, AgentNeed>("find-agent-needs");
const findLosses = query<{ within: number; everyday: readonly string[] }, Loss>("find-losses");
const countUntold = query<{ within: number; longerThan: number }, Untold>("count-untold");
const findPausesInForce = query<object, PauseInForce>("find-pauses-in-force");
const countPausedTasks = query<object, { tasks: number }>("count-paused-tasks");
const findPartitions = query<object, PartitionFacts>("find-partitions");
const findClockFacts = query<object, ClockFacts>("find-clock-facts");

export type StoreInspector = ReturnType<typeof openInspector>;

/**
 * Looks at a state store and changes nothing: each question is a read-only transaction of its own that
 * the server ends when it takes too long. Takes any schema, and connects when it is first asked. Every
 * method fails with a `Fault`. The caller disposes of the result.
 */
export function openInspector({ url, applicationName, answerWithin = 10_000 }: InspectorOptions) {
  const urls = serverUrls(url);
  const connection = {
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  // Of several servers the primary is looked at; of one it is a finding that it is a standby.
  const StoreClient = storeClient(urls, { writable: urls.length > 1 });
  const pool = new Pool({ ...connection, Client: StoreClient, max: 2 });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const ask = <Result>(question: (db: Database) => Promise<Result>): Promise<Result> =>
    withRetries(() => inSnapshot(pool, answerWithin, question));
  const bound =
    <Params, Result>(question: (db: Database, params: Params) => Promise<Result>) =>
    (params: Params): Promise<Result> =>
      ask((db) => question(db, params));

  return {
    /** Before every task that was submitted in the last so many milliseconds. */
    findLowestId: async (within: number) => (await bound(findLowestId)({ within }))[0]!.after,
    /** How many of the next tasks there are, at most `size`; `upto`: the last of them. */
    findRange: async (range: { readonly after: string; readonly size: number }) =>
      (await bound(findRange)(range))[0]!,
    findViolations: bound(findViolations),
    findServer: async () => (await bound(findServer)({}))[0]!,
    findMigrations: () => ask(findMigrations),
    findHolders: bound(findHolders),
    findUnvacuumed: bound(findUnvacuumed),
    findNeeds: () => bound(findNeeds)({}),
    findStandstills: () => ask(findStandstills),
    findLosses: ({ within }: { readonly within: number }) =>
      bound(findLosses)({ within, everyday }),
    countUntold: async (spans: { readonly within: number; readonly longerThan: number }) =>
      (await bound(countUntold)(spans))[0]!,
    /** The stored definitions that cannot be used, and some of the tasks that wait for their repair. */
    findUnusable: (batch: number) => ask((db) => findUnusable(db, batch)),
    findPartitions: async () => (await bound(findPartitions)({}))[0]!,
    findClockFacts: async () => (await bound(findClockFacts)({}))[0]!,
    /** The Agents and workflows that are paused, and how many unfinished tasks are. */
    findPausesInForce: () =>
      ask(async (db) => {
        const inForce = await findPausesInForce(db, {});
        return { inForce, tasks: (await countPausedTasks(db, {}))[0]!.tasks };
      }),
    /** All that keeps a task waiting; null when there is none of that id. */
    findTaskFacts: (taskId: string) => ask((db) => findTaskFacts(db, taskId)),
    findPooler: (): Promise<FoundPooler> =>
      withRetries(() => findPooler(() => new StoreClient(connection))),
    findKeptOptions: (): Promise<KeptOptions> => findKeptOptions({ url, applicationName }),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/**
 * Limits are set within the transaction and statements have no names, so a pooler in between needs to
 * know nothing of either, whatever its mode.
 */
async function inSnapshot<Result>(
  pool: Pool,
  answerWithin: number,
  question: (db: Database) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(
      `begin isolation level repeatable read, read only; set local statement_timeout = ${answerWithin}; set local jit = off`,
    );
    return await question({
      query: ({ text, values, rowMode }) => client.query({ text, values, rowMode }),
    });
  } finally {
    await client.query("rollback").catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}
