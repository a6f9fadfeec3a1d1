import { readFileSync } from "node:fs";

/** Anything that a query can run on: a pool, or the client of a transaction in progress. */
export interface Database {
  query(query: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
    readonly rowMode: "array";
  }): Promise<{
    readonly rows: readonly (readonly unknown[])[];
    readonly fields: readonly { readonly name: string }[];
  }>;
}

/**
 * Turns `sql/<name>.sql` into a function. SQL says `:locked_by` and `locked_by`, TypeScript says
 * `lockedBy`, and this is the only place that knows both. Runs as a prepared statement of that name,
 * which is also how it shows in `pg_stat_statements` and in logs.
 */
export function query<Params extends object, Row = never>(name: string) {
  const { text, parameters } = readQuery(name);
  // What it returns is always the same: that is part of a prepared statement.
  let keys: readonly string[] | undefined;
  return async (db: Database, params: Params): Promise<Row[]> => {
    const given = params as Readonly<Record<string, unknown>>;
    const values = parameters.map((parameter) => given[parameter]);
    const { rows, fields } = await db.query({ name, text, values, rowMode: "array" });
    if (rows.length === 0) return [];
    const names = (keys ??= fields.map((field) => camelCase(field.name)));
    return rows.map((row) => named(row, names) as Row);
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

function named(values: readonly unknown[], keys: readonly string[]): object {
  const row: Record<string, unknown> = {};
  for (const [index, key] of keys.entries()) row[key] = values[index];
  return row;
}
