import { queryOnce } from "@holdfast/local-stack";

/** The clock of the state store, which decides what is due and what is late. */
export interface DevClock {
  /**
   * Advances it by an hour, and resolves to a sentence: what time it is then, or why it was left
   * alone.
   */
  advance(hours?: number): Promise<string>;
}

type FoundClock = {
  readonly has_clock: boolean;
  readonly is_migrated: boolean;
  readonly has_uuid_v7: boolean;
  readonly database: string;
};

/**
 * Migrates a database of our own such that its clock can be advanced. It is made before the first
 * migration, because column defaults and views keep the functions that they were made with.
 */
export async function migrateWithClock(
  url: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<DevClock> {
  const [found] = await queryOnce<FoundClock>(url, findClock);
  if (found === undefined) throw new Error("The database says nothing of itself.");
  // In one message, so that a crash leaves all of it or nothing.
  if (!found.has_clock && !found.is_migrated)
    await queryOnce(url, makeClock(found.database, found.has_uuid_v7));
  await migrate(url);
  if (!found.has_clock && found.is_migrated) {
    return leftAlone(
      "The clock of this store cannot be advanced, because an earlier release made it: start once with npx holdfast dev --fresh.",
    );
  }
  // A migration may have made functions anew.
  await queryOnce(url, bindFunctions);
  return {
    async advance(hours = 1) {
      await queryOnce(url, advanceBy(hours));
      // A lock may be in the way for longer than a second. The Supervisor makes them as well.
      await queryOnce(url, makePartitions).catch(() => {});
      const [clock] = await queryOnce<{ readonly now: Date; readonly hours: number }>(
        url,
        readClock,
      );
      return `clock + ${hours} h: for the store it is ${clock?.now.toISOString()}, ${clock?.hours} h ahead of this machine`;
    },
  };
}

/** The clock of a server that is not ours. */
export const foreignClock = (): DevClock =>
  leftAlone("The clock is left alone, because STATE_STORE_URL names a server of your own.");

const leftAlone = (why: string): DevClock => ({ advance: async () => why });

/**
 * A clock that can be advanced. Statements, column defaults, views and functions call `now()` and
 * its like without a schema: with `holdfast_clock` before `pg_catalog` on the search path they get
 * these. `public` stays first, where tables that a project makes in this database belong.
 */
const makeClock = (database: string, hasUuidV7: boolean): string => `
  create schema holdfast_clock;
  create table holdfast_clock.clock
    (singleton boolean primary key default true check (singleton), ahead interval not null);
  insert into holdfast_clock.clock (ahead) values ('0');
  ${clockFunctions.map(([name, volatility]) => makeFunction(name, volatility)).join("\n")}
  ${hasUuidV7 ? makeUuidV7 : ""}
  grant usage on schema holdfast_clock to public;
  grant select on holdfast_clock.clock to public;
  alter database ${database} set search_path = "$user", public, holdfast_clock, pg_catalog`;

/** Which there are, and how stable each is within a statement: as in `pg_catalog`. */
const clockFunctions = [
  ["now", "stable"],
  ["transaction_timestamp", "stable"],
  ["statement_timestamp", "stable"],
  ["clock_timestamp", "volatile"],
] as const;

const makeFunction = (name: string, volatility: string): string => `
  create function holdfast_clock.${name}() returns timestamptz language sql ${volatility} parallel safe cost 1
    return pg_catalog.${name}() + (select ahead from holdfast_clock.clock);`;

/** Ids begin with their time. */
const makeUuidV7 = `
  create function holdfast_clock.uuidv7() returns uuid language sql volatile parallel safe cost 1
    return pg_catalog.uuidv7((select ahead from holdfast_clock.clock));`;

/**
 * Functions of the store with a search path of their own get the clock too. Not the two by which
 * the Supervisor decides what may be deleted by age: for them a clock that runs ahead has jumped,
 * and a person would be alerted.
 */
const bindFunctions = `
  do $$
  declare
    routine regprocedure;
  begin
    for routine in
      select oid
        from pg_proc
       where pronamespace = to_regnamespace('state')
         and 'search_path=pg_catalog, pg_temp' = any(proconfig)
         and proname not in ('trusted_now', 'read_clock')
    loop
      execute format('alter routine %s set search_path = holdfast_clock, pg_catalog, pg_temp', routine);
    end loop;
  end
  $$`;

const findClock = `
  select to_regclass('holdfast_clock.clock') is not null                   as has_clock,
         to_regclass('state.migrations') is not null                  as is_migrated,
         current_setting('server_version_num')::integer >= 180000     as has_uuid_v7,
         quote_ident(current_database())                              as database`;

const advanceBy = (hours: number): string => `
  update holdfast_clock.clock set ahead = ahead + interval '${hours} hours'`;

/** Tasks may be in a month then that has no partitions yet. */
const makePartitions = "select state.make_partitions()";

const readClock = `
  select clock_timestamp() as now, (extract(epoch from ahead) / 3600)::integer as hours
    from holdfast_clock.clock`;
