import { readFileSync } from "node:fs";
import { allIds, type IdRange, type PlannedRange } from "./id-ranges.ts";
import { listText } from "./list-text.ts";
import { statementFiles } from "./statement-files.ts";
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
 * Turns `sql/<room>/<name>.sql` into a function. SQL says `:locked_by` and `locked_by`, TypeScript says
 * `lockedBy`, and this is the only place that knows both. Runs as a prepared statement of that name,
 * which is also how it shows in `pg_stat_statements` and in logs.
 *
 * Parameters and rows have the types that the database gives them; `rowsOf<Row>()` names narrower ones for rows.
 */
export const query = <
  Name extends StatementName,
  Row extends object = RowOf<Name>,
  NeverNull extends PropertyKey = never,
>(
  name: Name,
  _rows?: Rows<Row, NeverNull> & MustFit<Name, Row, NeverNull>,
): Ask<ParamsOf<Name>, Row> => prepared(name, readQuery(name));

/** Ranges. Two a month, and the range of all ids: no more are used at a time. */
const maxRanges = 100;

/**
 * Prepares, as `query` does, a statement with a range of ids (`:first_id` and `:last_id`). The range is part of its
 * text: the planner leaves out whole months only if it knows the range when it plans. `ActivePartitions` makes the
 * ranges, and bounds how many there are.
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
