import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Client, DatabaseError } from "pg";
import { openTestStore } from "../test/fixtures.ts";
import { statementsUsedBy } from "../test/used-statements.ts";
import { readQuery } from "./postgres/query.ts";
import { roles } from "./roles.ts";

type Role = keyof typeof roles;

const owner = new AsyncDisposableStack();
let client: Client;
beforeAll(async () => {
  const store = owner.use(await openTestStore());
  client = new Client({ connectionString: store.url });
  await client.connect();
  owner.defer(() => client.end());
  // Plans are made without values: with null in the place of them, Postgres would leave parts out.
  await client.query("set plan_cache_mode = force_generic_plan");
});
afterAll(() => owner.disposeAsync());
// Nothing that a test does stays.
beforeEach(async () => {
  await client.query("rollback; begin");
});

/**
 * What runs as a role beside its operations: the routes of operators, and people, look at the
 * store.
 */
const inspector = "inspect/open-inspector.ts openInspector";
const beside: Readonly<Record<Role, readonly string[]>> = {
  submission: [],
  operations: [inspector],
  scheduler: [],
  supervisor: [],
  observer: [inspector],
};
const opening = "postgres/pool.ts openCheckedPool";

/** Statements that an operation of other roles runs, too, and that it never runs as this one. */
const notRun: Readonly<Partial<Record<Role, readonly string[]>>> = {
  // What submission stored first is endorsed by the login of operators only.
  submission: ["endorse-workflow"],
  // Only Schedulers have `applyEvents` claim what it makes due.
  operations: ["claim-due-steps"],
  supervisor: ["claim-due-steps"],
};

/** The statements that run as a role. */
function statementsOf(role: Role): readonly string[] {
  const declared = declarationsOfOperations();
  const operations = Object.keys(roles[role]).map((name) => declared.get(name)!);
  const used = new Set(
    [opening, ...beside[role], ...operations].flatMap((one) => [...statementsUsedBy(one)]),
  );
  return [...used].filter((name) => notRun[role]?.includes(name) !== true).toSorted();
}

function declarationsOfOperations(): ReadonlyMap<string, string> {
  const text = readFileSync(fileURLToPath(new URL("roles.ts", import.meta.url)), "utf8");
  const imports = [...text.matchAll(/^import \{([^}]*)\} from "\.\/([^"]*)";/gm)];
  return new Map(
    imports.flatMap(([, names = "", file]) =>
      names.split(",").map((name): [string, string] => [name.trim(), `${file} ${name.trim()}`]),
    ),
  );
}

/**
 * Plans a statement and begins it as a role, which needs all its rights, and does nothing. Null: it
 * may run.
 */
async function refusalOf(role: Role, statement: string): Promise<string | null> {
  const { text, parameters } = readQuery(statement);
  const values = parameters.length === 0 ? "" : `(${parameters.map(() => "null").join()})`;
  await client.query(`savepoint asked; set local role holdfast_${role}`);
  try {
    await client.query(`prepare asked as ${text}`);
    await client.query(`explain execute asked${values}`);
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === "42501")) throw error;
    return `${statement}: ${error.message}`;
  } finally {
    await client.query("rollback to savepoint asked; deallocate all");
  }
}

async function refusalsOf(role: Role, statements: readonly string[]): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const statement of statements) {
    const refusal = await refusalOf(role, statement);
    if (refusal !== null) refusals.push(refusal);
  }
  return refusals;
}

interface Grant {
  readonly privilege: string;
  /** What it is on, as SQL says it, such as `function state.lane_of(json)`. */
  readonly object: string;
  readonly name: string;
}

const findGrants = `
  with granted as (
    select 'table ' || oid::regclass as object, relname as name, '' as columns, acl.*
      from pg_class, aclexplode(relacl) as acl
     where relnamespace = 'state'::regnamespace and not relispartition
     union all
    select 'table ' || oid::regclass, relname, format(' (%I)', attname), acl.*
      from pg_class join pg_attribute on attrelid = oid, aclexplode(attacl) as acl
     where relnamespace = 'state'::regnamespace and not relispartition
     union all
    select 'function ' || oid::regprocedure, proname, '', acl.*
      from pg_proc, aclexplode(proacl) as acl
     where pronamespace = 'state'::regnamespace
  )
  select privilege_type || columns as privilege, object, name
    from granted
   where grantee = $1::regrole
   order by object, privilege`;

const findFunctions = `
  select proname as name, prosrc as source,
         array(select relname from pg_trigger join pg_class on pg_class.oid = tgrelid
                where tgfoid = pg_proc.oid) as tables
    from pg_proc
   where pronamespace = 'state'::regnamespace and not prosecdef`;

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

/**
 * The sources of functions and triggers that run with the rights of the one who runs these
 * statements.
 */
async function sourcesOf(statements: readonly string[]): Promise<readonly string[]> {
  interface Row {
    readonly name: string;
    readonly source: string;
    readonly tables: string[];
  }
  const { rows } = await client.query<Row>(findFunctions);
  const texts = new Set(statements.map((statement) => readQuery(statement).text));
  // A set may grow while it is gone through.
  for (const text of texts) {
    for (const { name, source, tables } of rows) {
      if ([name, ...tables].some((one) => mentions(text, one))) texts.add(source);
    }
  }
  return [...texts].slice(statements.length);
}

/**
 * Whether a role may run all of these statements. Those that name an object come first: one refusal
 * is enough.
 */
async function mayRunAll(
  role: Role,
  statements: readonly string[],
  object: string,
): Promise<boolean> {
  const names = (statement: string): boolean => mentions(readQuery(statement).text, object);
  const inOrder = statements.toSorted((one, other) => Number(names(other)) - Number(names(one)));
  for (const statement of inOrder) if ((await refusalOf(role, statement)) !== null) return false;
  return true;
}

/**
 * The grants of a role without which everything could still run. What a function or a trigger
 * mentions counts as needed: Postgres says only at run time what these may not do.
 */
async function needlessGrants(role: Role): Promise<readonly string[]> {
  const statements = statementsOf(role);
  const sources = await sourcesOf(statements);
  const { rows } = await client.query<Grant>(findGrants, [`holdfast_${role}`]);
  const needless: string[] = [];
  for (const { privilege, object, name } of rows) {
    if (sources.some((source) => mentions(source, name))) continue;
    await client.query("savepoint granted");
    await client.query(`revoke ${privilege} on ${object} from holdfast_${role}`);
    if (await mayRunAll(role, statements, name)) needless.push(`${privilege} on ${object}`);
    await client.query("rollback to savepoint granted");
  }
  return needless;
}

const everyRole = Object.keys(roles) as readonly Role[];

test.each(everyRole)("holdfast_%s may run every statement of its operations", async (role) => {
  expect(await refusalsOf(role, statementsOf(role))).toEqual([]);
});

// An observer may read everything, whatever asks for it.
test.each(everyRole.filter((role) => role !== "observer"))(
  "holdfast_%s has no right that none of its operations needs",
  async (role) => {
    expect(await needlessGrants(role)).toEqual([]);
  },
);

/** The service that calls the operations of a role. */
const callers: Readonly<Partial<Record<Role, string>>> = {
  submission: "submission",
  operations: "submission",
  scheduler: "scheduler",
  supervisor: "supervisor",
};

test.each(Object.entries(callers))("each operation of %s is called", (role, service) => {
  const sources = fileURLToPath(new URL(`../../../services/${service}/src`, import.meta.url));
  const files = globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts"] });
  const text = files.map((file) => readFileSync(`${sources}/${file}`, "utf8")).join("");
  // `announceInstance` is called with the store.
  const called = (name: string): boolean =>
    name === "recordInstance" || new RegExp(`[."]${name}\\b`).test(text);
  expect(Object.keys(roles[role as Role]).filter((name) => !called(name))).toEqual([]);
});
