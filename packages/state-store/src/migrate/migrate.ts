import { setTimeout as sleep } from "node:timers/promises";
import { contractHashes } from "@holdfast/contracts";
import {
  legalTaskTransitions,
  PermanentFault,
  savedStepTransitions,
  stepKinds,
  TransientFault,
} from "@holdfast/domain";
import { storeUrls } from "@holdfast/runtime";
import { type Client, escapeLiteral } from "pg";
import { isContention, toStoreFault } from "../postgres/postgres-error.ts";
import { setSession } from "../postgres/session-settings.ts";
import { connectStore } from "../postgres/store-client.ts";
import { isUsable, readWorkflow } from "../workflows/workflow-catalog.ts";
import { type Migration, type Phase, readMigrations, statementsOf } from "./migration-files.ts";

/**
 * A condition that a row makes none of these moves. All of them in one text: Postgres reads the
 * expression anew for each statement, and a list of twenty pairs takes longer than to write the
 * row.
 */
const isNoneOf = (moves: readonly (readonly [string, string])[]): string => {
  const all = moves.map(([from, to]) => ` ${from}>${to} `).join("");
  return `strpos('${all}', ' ' || old.process_state || '>' || new.process_state || ' ') = 0`;
};

const taskMoves = Object.entries(legalTaskTransitions).flatMap(([from, targets]) =>
  targets.map((to) => [from, to] as const),
);

/**
 * The second wall behind `decide`: the store itself refuses a move or a kind of step that the
 * tables of the domain do not have. The whole rule of moves stands in WHEN, so that legal moves
 * never enter the function.
 *
 * Each in a transaction of its own: one that locks both tables can deadlock with those who work
 * meanwhile.
 */
const guards: readonly string[] = [
  // The check of a row reads it.
  `create or replace function state.step_kinds() returns text[] immutable language sql as $$
  select array[${Object.keys(stepKinds).map(escapeLiteral).join(", ")}]
$$`,
  `create or replace function state.refuse_transition() returns trigger language plpgsql as $$
begin
  raise exception 'illegal transition of % %: % to %', tg_table_name, old.task_id, old.process_state,
    new.process_state using errcode = 'HF001';
end
$$`,
  `create or replace trigger guard_step before update on state.steps for each row
when (
  (old.process_state <> new.process_state and ${isNoneOf(savedStepTransitions)})
  or new.attempt <> old.attempt
     + (new.process_state = 'processing' and old.process_state <> 'processing')::integer
  or (old.may_have_effect and not new.may_have_effect)
)
execute function state.refuse_transition()`,
  `create or replace trigger guard_task before update on state.tasks for each row
when (
  (old.process_state <> new.process_state and ${isNoneOf(taskMoves)})
  or (old.goal = 'undo' and new.goal <> 'undo')
  or new.version <= old.version
)
execute function state.refuse_transition()`,
];

export interface MigrateOptions {
  /** The last migration to run; all, unless said. */
  readonly upTo?: string;
  /**
   * Folders of further migrations, which run among those of this release in the order of their
   * names.
   */
  readonly folders?: readonly string[];
  /** How long it waits in all for locks that others hold, in milliseconds. */
  readonly timeout?: number;
  /** Called each time that a lock was not to be had in time. */
  readonly onWait?: (waited: LockWait) => void;
  /** SQL that runs in each transaction, just before it commits, in tests. */
  readonly beforeCommit?: (migration: string, phase: number) => string;
}

interface LockWait {
  /** The migration and its phase, or what else was to be done. */
  readonly what: string;
  readonly attempt: number;
  readonly error: string;
}

/**
 * The advisory lock of the library that earlier releases migrated with: two releases do not migrate
 * at once.
 */
const oneAtATime = "7241865325823964";
/**
 * How long a migration waits for each lock. Sessions that come later wait behind it: for this long,
 * and for what the migration then does with the lock, is what an order may have to wait.
 */
const lockWithin = "50ms";
/**
 * A lock timeout longer than `deadlock_timeout`, after which Postgres ends an autovacuum that is in
 * the way.
 */
const noVacuumWithin = "5s";
/** Milliseconds. */
const defaultTimeout = 10 * 60_000;
const firstPause = 100;
const longestPause = 5_000;

/**
 * Brings the store at `url` to the schema of this release, and its guards to the state machine of
 * this release. Forward only, one runner at a time; running it again is harmless. Needs the owner
 * of the database. Returns the names of the migrations that ran.
 *
 * Each migration is one transaction, or several phases of one transaction each; the last of them
 * also records that the migration ran. A phase that cannot get a lock within 50 ms is rolled back
 * and run again after a growing pause, until `timeout` is over. When it fails for good, that phase
 * is rolled back; the migrations and phases before it stay committed, and the next run repeats the
 * phases of the migration that failed and goes on from there.
 */
export async function migrate(
  url: string,
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const client = await connectStore(storeUrls(url), { application_name: "holdfast migrate" });
  try {
    await client.query(`${setSession("session")}; set statement_timeout = 0; set lock_timeout = 0`);
    await client.query("select pg_advisory_lock($1)", [oneAtATime]);
    await mustBeUsable(client);
    const pending = pendingOf(await findApplied(client), options);
    const run = patiently(client, options);
    for (const migration of pending) await runMigration(run, migration, options);
    if (options.upTo === undefined) await finish(run);
    if (options.upTo === undefined) await addContracts(client, run);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

interface FoundDatabase {
  readonly encoding: string;
  /** The columns of `state.migrations`; null: there is no such table. */
  readonly columns: string | null;
  /** Tables, views and sequences of the schema `state` besides those of the migrations. */
  readonly others: readonly string[];
}

/**
 * Throws, before anything is changed, for a database that cannot hold a store, or whose schema
 * `state` is not ours.
 */
async function mustBeUsable(client: Client): Promise<void> {
  const { rows } = await client.query<FoundDatabase>(`
    select current_setting('server_encoding') as encoding,
           (select string_agg(attname::text, ' ' order by attnum)
              from pg_attribute
             where attrelid = to_regclass('state.migrations')
               and attnum > 0
               and not attisdropped) as columns,
           array(select relname::text
                   from pg_class
                  where relnamespace = to_regnamespace('state')
                    and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                    and relname not in ('migrations', 'migrations_id_seq')
                  order by 1) as others`);
  const { encoding = "", columns = null, others = [] } = rows[0] ?? {};
  if (encoding !== "UTF8") {
    throw unusable(
      `This database is in ${encoding}, which cannot hold every text: make one with create database … template template0 encoding 'UTF8'`,
    );
  }
  const isOurs = columns === ourColumns;
  if (columns !== null && !isOurs) {
    throw unusable("The table state.migrations is not Holdfast's: use a database of its own");
  }
  const hasRun =
    isOurs && (await client.query("select from state.migrations limit 1")).rowCount === 1;
  if (others.length === 0 || hasRun) return;
  throw unusable(
    `The schema state is not Holdfast's, it has ${others.slice(0, 3).join(", ")}: use a database of its own`,
  );
}

const ourColumns = "id name run_on";

const unusable = (why: string) => new PermanentFault("store.migration_failed", why);

async function findApplied(client: Client): Promise<readonly string[]> {
  const { rows: existing } = await client.query(
    "select to_regclass('state.migrations') is not null as is_there",
  );
  if (!existing[0]?.is_there) {
    await client.query(
      `create schema if not exists state;
       create table state.migrations
         (id serial primary key, name varchar(255) not null, run_on timestamp not null)`,
    );
  }
  const { rows } = await client.query<{ name: string }>("select name from state.migrations");
  return rows.map(({ name }) => name);
}

function pendingOf(
  applied: readonly string[],
  { upTo, folders }: MigrateOptions,
): readonly Migration[] {
  const all = readMigrations(folders);
  const pending = all.filter(({ name }) => !applied.includes(name));
  const first = all[0]?.name ?? "";
  const last = applied.toSorted().at(-1) ?? "";
  if (applied.length > 0 && !applied.includes(first)) {
    throw refused(
      `An earlier checkout of Holdfast made this store (its last migration is ${last}, and it never ran ${first}), and cannot be upgraded`,
    );
  }
  const late = pending.find(({ name }) => name < last);
  if (late !== undefined) {
    throw refused(
      `Another release made this store: migration ${late.name} has not run, but ${last}, which comes after it, has`,
    );
  }
  return upTo === undefined ? pending : pending.filter(({ name }) => name <= upTo);
}

const refused = (why: string) =>
  new PermanentFault(
    "store.migration_failed",
    `${why}: use an empty database, or start a demo with --fresh`,
  );

type Run = ReturnType<typeof patiently>;

/** Runs one phase until it has its locks; `timeout` is for all of them together. */
function patiently(client: Client, { timeout = defaultTimeout, onWait }: MigrateOptions) {
  const begun = performance.now();
  const left = () => Math.max(1, timeout - (performance.now() - begun));
  return async (what: string, phase: Phase, last = ""): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (phase.mode === "apart") await runApart(client, phase, { timeout: left(), last });
        else await runTogether(client, phase, last);
        return;
      } catch (error) {
        // Of an error, or of what it interrupted, nothing may be left open.
        await client.query("rollback").catch(() => {});
        const { message } = error as Error;
        if (!isContention(error)) throw failed(what, error);
        if (left() <= 1) throw await tooBusy(client, what, error);
        onWait?.({ what, attempt, error: message });
        await sleep(pauseAfter(attempt));
      }
    }
  };
}

const pauseAfter = (attempt: number): number =>
  Math.min(longestPause, firstPause * 1.5 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/** No other session waits for these statements, however long they wait themselves. */
async function runApart(
  client: Client,
  phase: Phase,
  { timeout, last }: { readonly timeout: number; readonly last: string },
): Promise<void> {
  await client.query(`set lock_timeout = ${Math.ceil(timeout)}`);
  for (const statement of statementsOf(phase)) {
    for (const one of await forEachMonth(client, statement)) await client.query(one);
  }
  await client.query(last);
}

/**
 * Postgres builds no index of a table with partitions concurrently, only those of the partitions.
 */
async function forEachMonth(client: Client, statement: string): Promise<readonly string[]> {
  if (!statement.includes("{month}")) return [statement];
  const { rows } = await client.query<{ month: string }>(
    "select to_char(month, 'YYYY_MM') as month from state.partitions order by 1",
  );
  return rows.map(({ month }) => statement.replaceAll("{month}", month));
}

/** All in one message: the locks are not held for a round trip. */
const runTogether = (client: Client, { locks, sql }: Phase, last: string): Promise<unknown> =>
  client.query(`begin; ${lockTables(locks)} ${sql}\n; ${last} commit`);

/**
 * First a lock that holds up neither readers nor writers, only an autovacuum, which Postgres then
 * ends: that takes longer than others may have to wait.
 */
function lockTables(tables: readonly string[]): string {
  const briefly = `set local lock_timeout = '${lockWithin}';`;
  if (tables.length === 0) return briefly;
  const all = tables.join(", ");
  return `set local lock_timeout = '${noVacuumWithin}';
    lock table ${all} in share update exclusive mode;
    ${briefly} lock table ${all} in access exclusive mode;`;
}

async function runMigration(
  run: Run,
  { name, phases }: Migration,
  { beforeCommit = () => "" }: MigrateOptions,
): Promise<void> {
  for (const [index, phase] of phases.entries()) {
    const isLast = index === phases.length - 1;
    const record = `insert into state.migrations (name, run_on) values (${escapeLiteral(name)}, now());`;
    const what = `migration ${name}, phase ${index + 1} of ${phases.length}`;
    await run(what, phase, `${isLast ? record : ""} ${beforeCommit(name, index)}`);
  }
}

const online = (sql: string): Phase => ({ mode: "transaction", locks: [], sql });

/** What follows each migration; done again it changes nothing. */
async function finish(run: Run): Promise<void> {
  await run("partitions", online("select state.make_partitions()"));
  for (const guard of guards) await run("guards", online(guard));
}

/** Hashes the contracts of definitions that a release stored which did not know of them. */
async function addContracts(client: Client, run: Run): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select name from state.workflows where contracts is null",
  );
  for (const { name } of rows) {
    const found = await readWorkflow(client, name);
    const contracts = isUsable(found) ? contractHashes(found.definition) : {};
    const set = `update state.workflows set contracts = ${escapeLiteral(JSON.stringify(contracts))}
                  where name = ${escapeLiteral(name)}`;
    await run("contracts", online(set));
  }
}

const failed = (what: string, error: unknown) =>
  new PermanentFault(
    "store.migration_failed",
    `${what} failed and was rolled back, those before it stay: ${toStoreFault(error).message}`,
    { cause: error },
  );

const holders = `
  select distinct pid, application_name, state, xact_start::text,
         pg_locks.relation::regclass::text as relation
    from pg_locks
    join pg_stat_activity using (pid)
   where pg_locks.locktype = 'relation'
     and pg_locks.database = (select oid from pg_database where datname = current_database())
     and pg_locks.relation in (to_regclass('state.tasks'), to_regclass('state.steps'))
     and granted
     and pid <> pg_backend_pid()
     and xact_start < clock_timestamp() - interval '1 second'
   order by xact_start::text
   limit 5`;

interface Holder {
  readonly pid: number;
  readonly application_name: string;
  readonly state: string;
  readonly xact_start: string;
  readonly relation: string;
}

async function tooBusy(client: Client, what: string, error: unknown): Promise<TransientFault> {
  const { rows } = await client.query<Holder>(holders);
  const held = rows.map(
    ({ pid, application_name: name, state, xact_start: since, relation }) =>
      `pid ${pid} (${name || "unnamed"}, ${state}) has held ${relation} since ${since}`,
  );
  const advice = held.length === 0 ? "run it again when there is less to do" : held.join("; ");
  const { message } = error as Error;
  return new TransientFault(
    "store.contention",
    `${what} did not get its locks: ${message}: ${advice}`,
    {
      cause: error,
    },
  );
}
