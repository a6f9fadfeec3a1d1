import { limits } from "@holdfast/contracts";
import { blockedAfter, type Instant, type Milliseconds, type TaskState } from "@holdfast/domain";
import { storeUrls } from "@holdfast/runtime";
import { Pool, type PoolConfig } from "pg";
import type { Pause } from "../pause/pauses.ts";
import { type Database, query } from "../postgres/query.ts";
import { setSession } from "../postgres/session-settings.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { storeClient } from "../postgres/store-client.ts";
import { withRetries } from "../postgres/transaction.ts";
import { readInstances } from "../statistics/instances.ts";
import { silentAfter } from "../statistics/older-instances.ts";
import { readContractDifferences } from "../workflows/contract-differences.ts";
import { findEnqueuedFacts, readInbox } from "./find-inbox.ts";
import type { Violation } from "./find-invariant-violations.ts";
import { findKeptOptions, type KeptOptions } from "./find-kept-options.ts";
import { findMigrations } from "./find-migrations.ts";
import { readPaths } from "./find-paths.ts";
import { type FoundPooler, findPooler } from "./find-pooler.ts";
import { readStoreId } from "./find-store-id.ts";
import { findBreakerFacts, findTaskFacts } from "./find-task-facts.ts";
import { findUnusable } from "./find-unusable.ts";
import { findStalledConsumers } from "./stalled-consumers.ts";

export interface InspectorOptions {
  readonly url: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  /** How long one question may take the server, in milliseconds. */
  readonly answerWithin?: number;
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
  /** The encoding of the database. */
  readonly encoding: string;
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

/**
 * An Agent that stored workflows need. `longest` in milliseconds, of those whose requests it keeps
 * until it has replied.
 */
export interface AgentDemand {
  readonly agent: string;
  readonly workflows: readonly string[];
  readonly longest: number;
  readonly longestStep: string;
  readonly openSteps: number;
  /** Its instances that live. */
  readonly living: number;
  /**
   * Instances that consume nothing for now, because their circuit breaker is open, and until when.
   */
  readonly resting: number;
  readonly restingUntil: Instant | null;
  /** When any instance was seen last; null: none in the last day. */
  readonly lastSeen: Instant | null;
  /** Whether it has ever sent heartbeats: others are not missed. */
  readonly announces: boolean;
}

export interface Loss {
  readonly kind: "dead letter" | "rejected reply";
  readonly from: string;
  readonly reason: string;
  readonly messages: number;
  readonly latest: Date;
}

/** How many alerts no queue has received, and how many notifications no Scheduler has sent. */
export interface UnsentNotifications {
  readonly undelivered: number;
  readonly unsent: number;
}

/** The number of months for which there is room. */
export interface PartitionFacts {
  readonly months: number;
  readonly hasNext: boolean;
}

/** What shows whether the server's clock has jumped; instants in milliseconds since 1970. */
export interface ClockFacts {
  readonly now: number;
  /** The last time that a Supervisor has trusted. */
  readonly trustedAt: number;
  /** The instant since which the clock has been more than a day ahead of that; null: it is not. */
  readonly aheadSince: number | null;
  /** The latest time that is written down. */
  readonly latest: number;
}

/** Waits that have been over for more than a minute, or that are held because the clock jumped. */
export interface LateWaits {
  readonly kind: "late" | "held";
  /** How many there are, counted no further than to 1,000. */
  readonly waits: number;
  /** The one that should have ended first. */
  readonly taskId: string;
  readonly step: string;
  readonly deadline: Date;
  /** When a Scheduler is to look at the last of them. */
  readonly dueAt: Date;
}

/** What about schedules needs a person. */
export interface ScheduleTroubles {
  /** `late`: they should have fired a minute ago or more; `paused`: Holdfast paused them. */
  readonly kind: "late" | "blocked" | "paused";
  /** How many there are, counted no further than to 1,000. */
  readonly schedules: number;
  /** The first of them, and since when it is so; null: unknown. */
  readonly id: string;
  readonly since: Date | null;
  /** The task that keeps it from firing; null: it is none. */
  readonly lastTask: string | null;
}

/** A living process that cannot read some stored workflows. */
export interface UnreadFormats {
  readonly service: string;
  readonly instance: string;
  readonly version: string;
  readonly workflows: number;
  /** The first of them by its name. */
  readonly workflow: string;
}

/** What is known of an id that an application believes it submitted. */
export interface SubmittedFacts {
  readonly taskId: string;
  /** The workflow with its version; null: its submission was refused. */
  readonly workflow: string | null;
  /**
   * The state of the task; `enqueued`: its submission waits in the inbox; `refused`: it became no
   * task.
   */
  readonly state: TaskState | "enqueued" | "refused";
  /** Why it was refused; null: it was not. */
  readonly faultCode: string | null;
}

export type PauseInForce = Pick<Pause, "kind" | "name" | "actor" | "reason" | "pausedAt">;

/** Late and double replies, which every crash brings about. */
const everyday = ["not_processing", "stale_attempt", "task_finished", "nothing_to_do"];

const findLowestId = query("find-lowest-id", rowsOf<{ after: string }>());
const findRange = query("find-task-range", rowsOf<{ tasks: number; upto: string | null }>());
const findViolations = query("find-violations-between", rowsOf<Violation>());
const findServer = query("find-server-facts", rowsOf<ServerFacts>());
const findHolders = query("find-xmin-holders", rowsOf<XminHolder>());
const findUnvacuumed = query("find-unvacuumed-tables", rowsOf<UnvacuumedTable>());
const findAgentDemands = query("find-agent-needs", rowsOf<AgentDemand>());
const findLosses = query("find-losses", rowsOf<Loss>());
const countUnsent = query("count-unsent-notifications", rowsOf<UnsentNotifications>());
const findSubmitted = query("find-submitted", rowsOf<SubmittedFacts>());
const findPausesInForce = query("find-pauses-in-force", rowsOf<PauseInForce>());
const countPausedTasks = query("count-paused-tasks", rowsOf<{ tasks: number }>());
const findPartitions = query("find-partitions", rowsOf<PartitionFacts>());
/** Finds by how many milliseconds the clock of a store is ahead of its server's. */
const findClockAdvance = query("find-clock-advance", rowsOf<{ ahead: number }>());
const findLateWaits = query("find-late-waits", rowsOf<LateWaits>());
const findScheduleTroubles = query("find-schedule-troubles", rowsOf<ScheduleTroubles>());
const findUnreadFormats = query("find-unread-formats", rowsOf<UnreadFormats>());
const findClockFacts = query("find-clock-facts", rowsOf<ClockFacts>());

export type StoreInspector = ReturnType<typeof openInspector>;

/**
 * Looks at a state store and changes nothing: each question is a read-only transaction of its own
 * that the server ends when it takes too long. Takes any schema, and connects when it is first
 * asked. Every method fails with a `Fault`. The caller disposes of the result.
 */
export function openInspector({ url, applicationName, answerWithin = 10_000 }: InspectorOptions) {
  const urls = storeUrls(url);
  const connection = {
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  // Of several servers the primary is looked at; of one it is a finding that it is a standby.
  const StoreClient = storeClient(() => urls, { writable: urls.length > 1 });
  const pool = quietPool({ ...connection, Client: StoreClient, max: 2 });
  const ask = <Result>(question: (db: Database) => Promise<Result>): Promise<Result> =>
    withRetries(() => inSnapshot(pool, answerWithin, question));
  const bound =
    <Params, Result>(question: (db: Database, params: Params) => Promise<Result>) =>
    (params: Params): Promise<Result> =>
      ask((db) => question(db, params));

  return {
    /** Finds an id before every task that was submitted in the last so many milliseconds. */
    findLowestId: async (within: number) => (await bound(findLowestId)({ within }))[0]!.after,
    /** How many of the next tasks there are, at most `size`; `upto`: the last of them. */
    findRange: async (range: { readonly after: string; readonly size: number }) =>
      (await bound(findRange)(range))[0]!,
    findViolations: (range: {
      readonly after: string;
      readonly upto: string;
      readonly batch: number;
    }) => bound(findViolations)(range),
    findServer: async () => (await bound(findServer)({}))[0]!,
    findMigrations: () => ask(findMigrations),
    findStoreId: () => ask(readStoreId),
    findHolders: bound(findHolders),
    findUnvacuumed: bound(findUnvacuumed),
    findAgentDemands: () => bound(findAgentDemands)({ keptBelow: limits.longAttempt }),
    findContractDifferences: () => ask((db) => readContractDifferences(db, { workflows: null })),
    findStalledConsumers: () => ask(findStalledConsumers),
    findLosses: ({ within }: { readonly within: number }) =>
      bound(findLosses)({ within, everyday }),
    countUnsent: async (spans: { readonly within: number; readonly longerThan: number }) =>
      (await bound(countUnsent)(spans))[0]!,
    /**
     * The stored definitions that cannot be used, and some of the tasks that wait for their repair.
     */
    findUnusable: (batch: number) => ask((db) => findUnusable(db, batch)),
    findPartitions: async () => (await bound(findPartitions)({}))[0]!,
    findClockAdvance: async () => (await bound(findClockAdvance)({}))[0]!.ahead,
    findClockFacts: async () => (await bound(findClockFacts)({}))[0]!,
    /** The waits of steps that should have ended. */
    findLateWaits: () => bound(findLateWaits)({}),
    findScheduleTroubles: () => bound(findScheduleTroubles)({ blockedAfter }),
    findUnreadFormats: () => bound(findUnreadFormats)({ silentAfter }),
    /** The Agents and workflows that are paused, and how many unfinished tasks are. */
    findPausesInForce: () =>
      ask(async (db) => {
        const inForce = await findPausesInForce(db, {});
        return { inForce, tasks: (await countPausedTasks(db, {}))[0]!.tasks };
      }),
    /** All that keeps a task waiting; null when there is none of that id. */
    findTaskFacts: (taskId: string) => ask((db) => findTaskFacts(db, taskId)),
    ...causesIn(ask),
    findPooler: (): Promise<FoundPooler> =>
      withRetries(() => findPooler(() => new StoreClient(connection))),
    findKeptOptions: (): Promise<KeptOptions> => findKeptOptions({ url, applicationName }),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** A connection that breaks while it is idle is opened again. */
function quietPool(options: PoolConfig): Pool {
  const pool = new Pool(options);
  pool.on("error", () => {});
  return pool;
}
type Ask = <Result>(question: (db: Database) => Promise<Result>) => Promise<Result>;

/** What keeps tasks waiting, and shows in the store. */
const causesIn = (ask: Ask) => ({
  /**
   * The breakers of remote services that hold something back, with what the services answered last.
   */
  findBreakers: () => ask(findBreakerFacts),
  /** What is known of the ways of requests and replies. */
  findPaths: () => ask(readPaths),
  /** What is known of these ids; one of which nothing is known is left out. */
  findSubmitted: (taskIds: readonly string[]) =>
    ask((db) => findSubmitted(db, { taskIds: [...taskIds] })),
  /**
   * What became of a submission that an application enqueued; null: it is a task, or there is none.
   */
  findEnqueued: (taskId: string) => ask((db) => findEnqueuedFacts(db, { taskId })),
  /** What waits in the inbox, and what was refused in the last so many milliseconds. */
  findInbox: (request: { readonly within: Milliseconds }) => ask((db) => readInbox(db, request)),
  /** The services that announced themselves lately. */
  findInstances: () => ask(readInstances),
});

/**
 * Limits are set within the transaction and statements have no names, so a pooler in between needs
 * to know nothing of either, whatever its mode.
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
      `begin isolation level repeatable read, read only; set local statement_timeout = ${answerWithin}; set local jit = off; ${setSession("local")}`,
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
