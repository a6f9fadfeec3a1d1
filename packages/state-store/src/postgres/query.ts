import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MustFit, ParamsOf, RowOf, Rows, StatementName } from "./statement-types.ts";

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
 * Turns `sql/<room>/<name>.sql` into a function. SQL says `:locked_by` and `locked_by`, TypeScript
 * says `lockedBy`, and this is the only place that knows both. Runs as a prepared statement of that
 * name, which is also how it shows in `pg_stat_statements` and in logs.
 *
 * Parameters and rows have the types that the database gives them; `rowsOf<Row>()` names narrower
 * ones for rows.
 */
export const query = <
  Name extends StatementName,
  Row extends object = RowOf<Name>,
  NeverNull extends PropertyKey = never,
>(
  name: Name,
  _rows?: Rows<Row, NeverNull> & MustFit<Name, Row, NeverNull>,
): Ask<ParamsOf<Name>, Row> => prepared(name, readQuery(name));

/**
 * The ids from one to another, both among them. Ids begin with their time, and tasks and steps are
 * kept by month: a statement that says between which ids it looks is planned for these months and
 * no others.
 */
export interface IdRange {
  readonly firstId: string;
  readonly lastId: string;
}

export const allIds: IdRange = {
  firstId: "00000000-0000-0000-0000-000000000000",
  lastId: "ffffffff-ffff-ffff-ffff-ffffffffffff",
};

declare const madeByActivePartitions: unique symbol;

/**
 * `PlannedRange` is a range that may become part of a statement. `ActivePartitions` alone makes
 * them: each is a text, a plan and a prepared statement on each connection, so there are as many as
 * months with partitions, and no id from outside adds one.
 */
export type PlannedRange = IdRange & { readonly [madeByActivePartitions]: true };

/** Ranges. Two a month, and the range of all ids: no more are used at a time. */
const maxRanges = 100;

/**
 * Prepares, as `query` does, a statement with a range of ids (`:first_id` and `:last_id`). The
 * range is part of its text: the planner leaves out whole months only if it knows the range when it
 * plans. `ActivePartitions` makes the ranges, and bounds how many there are.
 */
export function queryAmong<
  Name extends StatementName,
  Row extends object = RowOf<Name>,
  NeverNull extends PropertyKey = never,
>(name: Name, _rows?: Rows<Row, NeverNull> & MustFit<Name, Row, NeverNull>) {
  const asks = new Map<string, Ask<ParamsOf<Name>, Row>>();
  return (db: Database, range: PlannedRange, params: ParamsOf<Name>): Promise<Row[]> => {
    const among = `${name} ${range.firstId.slice(0, 13)} ${range.lastId.slice(0, 13)}`;
    let ask = asks.get(among);
    if (ask === undefined) {
      if (asks.size >= maxRanges) asks.clear();
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
    const values = parameters.map((parameter) => listText(given[parameter]));
    const { rows, fields } = await db.query({ name, text, values, rowMode: "array" });
    if (rows.length === 0) return [];
    const names = (keys ??= fields.map((field) => camelCase(field.name)));
    return rows.map((row) => named(row, names) as Row);
  };
  return (db, params) => {
    const answer = ask(db, params);
    // If the caller fails before it awaits the answer, an error in it must not end the process.
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
  const file = statementFiles.get(name);
  if (file === undefined) throw new Error(`No room of sql/ has a file ${name}.sql`);
  const source = readFileSync(file, "utf8");
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
  // Without an iterator: this runs for each value that is read.
  for (let index = 0; index < keys.length; index += 1) row[keys[index]!] = values[index];
  return row;
}

/**
 * A list of texts, numbers and the like as Postgres reads it. The driver writes lists, too, but
 * makes several texts of each value on the way. What is no such list is for the driver.
 */
export function listText(value: unknown): unknown {
  if (!Array.isArray(value) || value.some(isObject)) return value;
  return `{${value.map((item) => (typeof item === "string" ? quoted(item) : (item ?? "NULL"))).join(",")}}`;
}

const isObject = (item: unknown): boolean => typeof item === "object" && item !== null;

const special = /["\\]/;
const quoted = (text: string): string =>
  `"${special.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;

/**
 * Rows, turned on their side: one array for each column, as `unnest` wants them. The names of the
 * columns become the names of the parameters.
 */
export function columns<
  Row extends object,
  const Names extends Readonly<Record<string, keyof Row>>,
>(
  rows: readonly Row[],
  names: Names,
): { readonly [Parameter in keyof Names]: Row[Names[Parameter]][] } {
  const turned = Object.entries(names).map(([parameter, key]) => [
    parameter,
    rows.map((row) => row[key]),
  ]);
  return Object.fromEntries(turned) as never;
}

const sqlFolder = fileURLToPath(new URL("../../sql", import.meta.url));

/**
 * The file of each statement, by its name. Files lie in rooms; the name is unique across all of
 * them.
 */
export const statementFiles: ReadonlyMap<string, string> = findStatementFiles(sqlFolder);

function findStatementFiles(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".sql")) continue;
    const name = basename(path, ".sql");
    const earlier = files.get(name);
    if (earlier !== undefined)
      throw new Error(`Two statements are named ${name}: ${earlier}, ${path}`);
    files.set(name, join(folder, path));
  }
  return files;
}
