import { readFileSync } from "node:fs";

/** Anything that a query can run on: a pool, or the client of a transaction in progress. */
export interface Database {
  query(query: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<{ readonly rows: object[]; readonly fields: readonly { readonly name: string }[] }>;
}

/**
 * Turns `sql/<name>.sql` into a function. SQL says `:locked_by` and `locked_by`, TypeScript says
 * `lockedBy`, and this is the only place that knows both. Runs as a prepared statement of that name,
 * which is also how it shows in `pg_stat_statements` and in logs.
 */
export function query<Params extends object, Row = never>(name: string) {
  const { text, parameters } = readQuery(name);
  return async (db: Database, params: Params): Promise<Row[]> => {
    const given = params as Readonly<Record<string, unknown>>;
    const values = parameters.map((parameter) => given[parameter]);
    const { rows, fields } = await db.query({ name, text, values });
    const keys = fields.map((field) => [field.name, camelCase(field.name)] as const);
    return rows.map((row) => rename(row, keys) as Row);
  };
}

/** Numbers the parameters, as Postgres wants them. `::` is a cast and not a parameter. */
export function readQuery(name: string): { text: string; parameters: string[] } {
  const source = readFileSync(new URL(`../sql/${name}.sql`, import.meta.url), "utf8");
  const parameters: string[] = [];
  const text = source.replace(/(?<![:\w]):([a-z_]+)/g, (_, parameter: string) => {
    const key = camelCase(parameter);
    if (!parameters.includes(key)) parameters.push(key);
    return `$${parameters.indexOf(key) + 1}`;
  });
  return { text, parameters };
}

const camelCase = (key: string) =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function rename(row: object, keys: readonly (readonly [string, string])[]): object {
  const from = row as Readonly<Record<string, unknown>>;
  const to: Record<string, unknown> = {};
  for (const [snake, camel] of keys) to[camel] = from[snake];
  return to;
}
