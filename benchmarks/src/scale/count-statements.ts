import { queryOnce } from "@holdfast/local-stack";

/** Forgets all statements that were counted in this database. */
export async function forgetStatements(url: string): Promise<void> {
  await queryOnce(url, "create extension if not exists pg_stat_statements");
  await queryOnce(url, "select pg_stat_statements_reset()");
}

/** How many statements the Schedulers have asked for since, all of them together. */
export async function countStatements(url: string): Promise<number> {
  const [counted] = await queryOnce<{ calls: number }>(
    url,
    `select coalesce(sum(calls), 0)::float8 as calls
       from pg_stat_statements
      where userid = 'holdfast_scheduler'::regrole
        and dbid = (select oid from pg_database where datname = current_database())`,
  );
  return counted?.calls ?? Number.NaN;
}
