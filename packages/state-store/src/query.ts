import { readFileSync } from "node:fs";
import { allIds, type IdRange } from "./id-ranges.ts";

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

type Ask<Params, Row> = (db: Database, params: Params) => Promise<Row[]>;

/**
 * Turns `sql/<name>.sql` into a function. SQL says `:locked_by` and `locked_by`, TypeScript says
 * `lockedBy`, and this is the only place that knows both. Runs as a prepared statement of that name,
 * which is also how it shows in `pg_stat_statements` and in logs.
 */
export const query = <Params extends object, Row = never>(name: string): Ask<Params, Row> =>
  prepared(name, readQuery(name));

/** Ranges. Two a month, and those of ids that are no ids: more are not used at a time. */
const mostRanges = 100;

/**
 * Like `query`, for a statement that says between which ids it looks (`:first_id` and `:last_id`). They are
 * part of its text: only what is known when it is planned leaves whole months out of the plan.
 */
export function queryAmong<Params extends object, Row = never>(name: string) {
  const asks = new Map<string, Ask<Params, Row>>();
  return (db: Database, range: IdRange, params: Params): Promise<Row[]> => {
    const among = `${name} ${range.firstId.slice(0, 13)} ${range.lastId.slice(0, 13)}`;
    let ask = asks.get(among);
    if (ask === undefined) {
      if (asks.size >= mostRanges) asks.clear();
      ask = prepared(among, readQuery(name, range));
      asks.set(among, ask);
    }
    return ask(db, params);
  };
}

function prepared<Params extends object, Row>(
  name: string,
  { text, parameters }: Query,
): Ask<Params, Row> {
  // What it returns is always the same: that is part of a prepared statement.
  let keys: readonly string[] | undefined;
  const ask: Ask<Params, Row> = async (db, params) => {
    const given = params as Readonly<Record<string, unknown>>;
    const values = parameters.map((parameter) => given[parameter]);
    const { rows, fields } = await db.query({ name, text, values, rowMode: "array" });
    if (rows.length === 0) return [];
    const names = (keys ??= fields.map((field) => camelCase(field.name)));
    return rows.map((row) => named(row, names) as Row);
  };
  return (db, params) => {
    const answer = ask(db, params);
    // Should whoever asked fail before it looks at the answer, an error in it must not end the process.
    answer.catch(() => {});
    return answer;
  };
}

/** A statement, and what its `$1`, `$2` and so on stand for. */
export interface Query {
  readonly text: string;
  readonly parameters: readonly string[];
}

/** Numbers the parameters, as Postgres wants them. `::` is a cast and not a parameter. */
export function readQuery(name: string, range: IdRange = allIds): Query {
  const source = readFileSync(new URL(`../sql/${name}.sql`, import.meta.url), "utf8");
  const parameters: string[] = [];
  const text = source.replace(/(?<![:\w]):([a-z_]+)/g, (_, parameter: string) => {
    const key = camelCase(parameter);
    if (key === "firstId" || key === "lastId") return `'${range[key]}'::uuid`;
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
