import { queryOnce } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";

/** The clock of a database, for a test to be set: forwards and back. */
export interface StoreClock {
  /** Has it be ahead of the server's own by so many milliseconds; behind, if they are negative. */
  set(aheadMs: number): Promise<void>;
}

const names = [
  ["now", "stable"],
  ["transaction_timestamp", "stable"],
  ["statement_timestamp", "stable"],
  ["clock_timestamp", "volatile"],
] as const;

/**
 * A clock whose functions are found before those of Postgres by whatever asks for the time without
 * naming a schema. They must be there before the first migration: defaults of columns keep the
 * functions that they were made with.
 */
const makeClock = `
  create schema holdfast_clock;
  create table holdfast_clock.clock (ahead interval not null);
  insert into holdfast_clock.clock values ('0');
  ${names
    .map(
      ([name, volatility]) => `
  create function holdfast_clock.${name}() returns timestamptz language sql ${volatility} parallel safe cost 1
    return pg_catalog.${name}() + (select ahead from holdfast_clock.clock);`,
    )
    .join("\n")}
  do $$
  begin
    if current_setting('server_version_num')::integer >= 180000 then
      create function holdfast_clock.uuidv7() returns uuid language sql volatile parallel safe cost 1
        return pg_catalog.uuidv7((select ahead from holdfast_clock.clock));
    end if;
    execute format('alter database %I set search_path = "$user", public, holdfast_clock, pg_catalog', current_database());
  end
  $$;
  grant usage on schema holdfast_clock to public;
  grant select on holdfast_clock.clock to public`;

/** Functions of the store have a search path of their own. */
const bindFunctions = `
  do $$
  declare
    routine regprocedure;
  begin
    for routine in
      select oid from pg_proc
       where pronamespace = 'state'::regnamespace
         and 'search_path=pg_catalog, pg_temp' = any(proconfig)
    loop
      execute format('alter routine %s set search_path = holdfast_clock, pg_catalog, pg_temp', routine);
    end loop;
  end
  $$`;

/** Migrates an empty database, such that its clock can be set. */
export async function migrateWithStoreClock(url: string): Promise<StoreClock> {
  await queryOnce(url, makeClock);
  await migrate(url);
  await queryOnce(url, bindFunctions);
  return {
    async set(aheadMs) {
      await queryOnce(
        url,
        `update holdfast_clock.clock set ahead = ${aheadMs} * interval '1 millisecond'`,
      );
    },
  };
}
