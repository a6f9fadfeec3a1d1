import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Client, Connection } from "pg";
import { readQuery, statementFiles } from "../src/postgres/query.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  /**
   * Whether the column can be null. Null: Postgres cannot tell, because the column is an
   * expression.
   */
  readonly nullable: boolean | null;
}

interface Statement {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly columns: readonly Column[];
}

/** The file with the types of a room, from the folder of this package's sources. */
export const typesFile = (room: string): string => `postgres/statements/${room}.ts`;

/** The folders of `sql/`. */
export const rooms: readonly string[] = [
  ...new Set([...statementFiles.values()].map((file) => basename(dirname(file)))),
].toSorted();

/** The files of types that a checkout holds. */
export const typesFilesIn = (sources: string): readonly string[] =>
  readdirSync(`${sources}/postgres/statements`)
    .map((file) => `postgres/statements/${file}`)
    .toSorted();

/**
 * Asks a migrated database what each statement of a room takes and returns, and writes it as
 * TypeScript.
 */
export async function describeRoom(client: Client, room: string): Promise<string> {
  const names = [...statementFiles.entries()]
    .filter(([, file]) => basename(dirname(file)) === room)
    .map(([name]) => name)
    .toSorted();
  const statements: Statement[] = [];
  for (const name of names) statements.push(await describeStatement(client, name));
  const types = statements.map(toTypeScript);
  const isUnsure = types.some((text) => text.includes("Maybe<"));
  const title = room.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [
    ...(isUnsure ? ['import type { Maybe } from "../maybe.ts";', ""] : []),
    `/** What statements of sql/${room} take and return, as \`npm run rows\` finds it. */`,
    `export interface ${title}Statements {`,
    ...types,
    "}",
    "",
  ].join("\n");
}

async function describeStatement(client: Client, name: string): Promise<Statement> {
  const { text, parameters } = readQuery(name);
  await client.query(`prepare described as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'described'",
  );
  const fields = await rowDescription(client, "described");
  await client.query("deallocate described");
  const types = rows[0]!.types;
  if (types.length !== parameters.length) {
    throw new Error(
      `${name} has ${parameters.length} parameters, and Postgres sees ${types.length}`,
    );
  }
  // An outer join makes null of a column that its table forbids to be null.
  const mayAddNulls = /\b(left|right|full)\s+(outer\s+)?join\b/.test(text);
  const columns: Column[] = [];
  for (const field of fields) {
    const column = await toColumn(client, field);
    columns.push(mayAddNulls && column.nullable === false ? { ...column, nullable: null } : column);
  }
  const twice = columns.find((column, index) => columns[index + 1]?.name === column.name);
  if (twice !== undefined) throw new Error(`${name} returns two columns named ${twice.name}`);
  return {
    name,
    parameters: parameters.map((parameter, index) => ({ name: parameter, type: types[index]! })),
    columns,
  };
}

interface Field {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

/** Describes a prepared statement without running it, which the driver has no call for. */
function rowDescription(client: Client, name: string): Promise<readonly Field[]> {
  return new Promise((resolve, reject) => {
    let fields: readonly Field[] = [];
    client.query({
      submit(connection: Connection) {
        connection.describe({ type: "S", name }, false);
        connection.sync();
      },
      handleRowDescription(message: { readonly fields: readonly Field[] }) {
        fields = message.fields;
      },
      handleReadyForQuery: () => resolve(fields),
      handleError: reject,
    });
  });
}

async function toColumn(client: Client, field: Field): Promise<Column> {
  const { rows } = await client.query<{ type: string; nullable: boolean | null }>(
    `select format_type($1, null) as type,
            (select not attnotnull
               from pg_attribute
               join pg_class on pg_class.oid = attrelid
              where attrelid = $2 and attnum = $3 and relkind in ('r', 'p')) as nullable`,
    [field.dataTypeID, field.tableID, field.columnID],
  );
  return { name: camelCase(field.name), ...rows[0]! };
}

const camelCase = (key: string): string =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What the driver makes of a column of that type. */
const columnTypes: Readonly<Record<string, string>> = {
  boolean: "boolean",
  bytea: "Buffer",
  bigint: "string",
  "character varying": "string",
  "double precision": "number",
  integer: "number",
  json: "unknown",
  jsonb: "unknown",
  name: "string",
  numeric: "string",
  smallint: "number",
  text: "string",
  "integer[]": "readonly number[]",
  "text[]": "readonly string[]",
  "timestamp with time zone": "Date",
  uuid: "string",
  "uuid[]": "readonly string[]",
  // The driver returns an empty text.
  void: "string",
};

/** What the driver accepts for a parameter of that type. */
const parameterTypes: Readonly<Record<string, string>> = {
  boolean: "boolean",
  bytea: "Buffer",
  bigint: "number | string",
  date: "string",
  "double precision": "number",
  integer: "number",
  json: "string",
  jsonb: "string",
  name: "string",
  numeric: "number",
  smallint: "number",
  text: "string",
  "timestamp with time zone": "Date",
  uuid: "string",
  xid8: "string",
};

function columnType({ type, nullable }: Column): string {
  const known = mustKnow(columnTypes, type);
  if (nullable === false || known === "unknown") return known;
  return nullable === null ? `Maybe<${known}>` : `${known} | null`;
}

const parameterType = (type: string): string =>
  type.endsWith("[]")
    ? `readonly (${mustKnow(parameterTypes, type.slice(0, -2))} | null)[] | null`
    : `${mustKnow(parameterTypes, type)} | null`;

function mustKnow(types: Readonly<Record<string, string>>, type: string): string {
  const known = types[type];
  if (known === undefined)
    throw new Error(
      `The Postgres type ${type} has no TypeScript type here: add it to ${import.meta.filename}`,
    );
  return known;
}

function toTypeScript({ name, parameters, columns }: Statement): string {
  const key = name.includes("-") ? `"${name}"` : name;
  const params = parameters.map((one) => `readonly ${one.name}: ${parameterType(one.type)};`);
  const row = columns.map((column) => `readonly ${column.name}: ${columnType(column)};`);
  return [
    `  readonly ${key}: {`,
    objectType("params", params),
    objectType("row", row),
    "  };",
  ].join("\n");
}

const maxWidth = 100;

/** A type on one line if it fits, as the formatter has it. */
function objectType(key: string, members: readonly string[]): string {
  if (members.length === 0) return `    readonly ${key}: object;`;
  const line = `    readonly ${key}: { ${members.join(" ").slice(0, -1)} };`;
  if (line.length <= maxWidth) return line;
  return [`    readonly ${key}: {`, ...members.map((member) => `      ${member}`), "    };"].join(
    "\n",
  );
}
