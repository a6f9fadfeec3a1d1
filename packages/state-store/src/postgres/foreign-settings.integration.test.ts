import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, queryOnce } from "@holdfast/local-stack";
import { findPgbouncer, startPgbouncer, testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { openInspector } from "../inspect/open-inspector.ts";
import { migrate } from "../migrate/migrate.ts";
import { openStateStore } from "../open-state-store.ts";

const resources = new AsyncDisposableStack();
let db: TestStore;
beforeAll(async () => {
  db = resources.use(await openTestStore());
});
afterAll(() => resources.disposeAsync());

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);
const serverOf = (url: string): string =>
  Object.assign(new URL(url), { pathname: "/postgres" }).href;

describe("a database with settings of its own", () => {
  const settings = [
    "datestyle = 'German, DMY'",
    "datestyle = 'SQL, MDY'",
    "datestyle = 'Postgres, YMD'",
    "intervalstyle = 'iso_8601'",
    "timezone = 'Asia/Kathmandu'",
    "default_transaction_isolation = 'serializable'",
    "search_path = 'shadows'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "array_nulls = off",
    "client_min_messages = 'error'",
    "enable_nestloop = off",
  ];

  beforeAll(async () => {
    // What an application may have in a schema that it puts first.
    await db.query("create schema shadows");
    for (const table of ["tasks", "steps", "workflows", "events"]) {
      await db.query(`create table shadows.${table} (id int)`);
    }
    await db.query(
      "create function shadows.jsonb_build_object(text, text) returns jsonb language sql as $$ select '{}'::jsonb $$",
    );
    await db.query("grant usage on schema shadows to public");
    for (const setting of settings) {
      await db.query(`alter database ${databaseOf(db.url)} set ${setting}`);
    }
  });
  afterAll(() => db.query(`alter database ${databaseOf(db.url)} reset all`));

  test("changes nothing of what is submitted, claimed, recorded and read", async () => {
    const before = Date.now();
    await migrate(db.url);
    await using store = await openStateStore({
      url: db.url,
      applicationName: "test",
      maxConnections: 4,
    });
    await store.registerWorkflow(testWorkflow([{ name: "a" }]));
    await store.submitTasks([newTask()], { actor: "test" });
    const [claim] = await claimAll(store, "scheduler-1");
    expect(claim).toBeDefined();
    const reply = { taskId: claim!.taskId, event: completed(claim!), output: { b: "ö🙂" } };
    await store.applyEvents([reply], { actor: "test" });
    expect(await store.countTasks()).toEqual({ processed: 1 });
    const history = await store.findEvents({ taskId: claim!.taskId });
    const instants = history.map(({ at }) => at);
    expect(instants.length).toBeGreaterThan(1);
    for (const at of instants) {
      expect(at).toBeInstanceOf(Date);
      expect(Math.abs(at.getTime() - before)).toBeLessThan(300_000);
    }
    await using inspector = openInspector({ url: db.url, applicationName: "test" });
    expect(await inspector.findKeptOptions()).toBe("kept");
    expect((await inspector.findServer()).encoding).toBe("UTF8");
  });
});

describe("migrate", () => {
  test.each(["LATIN1", "SQL_ASCII"])(
    "refuses a database in %s in one sentence, before it changes anything",
    async (encoding) => {
      const name = `encoded_${encoding.toLowerCase()}_${process.pid}`;
      await queryOnce(
        serverOf(db.url),
        `create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C' locale_provider 'libc'`,
      );
      const url = Object.assign(new URL(db.url), { pathname: `/${name}` }).href;
      await using stack = new AsyncDisposableStack();
      stack.defer(async () => void (await queryOnce(serverOf(db.url), `drop database ${name}`)));
      await expect(migrate(url)).rejects.toMatchObject({
        code: "store.migration_failed",
        message: expect.stringMatching(`^This database is in ${encoding}, .*encoding 'UTF8'$`),
      });
      expect(
        await queryOnce(url, "select nspname from pg_namespace where nspname = 'state'"),
      ).toEqual([]);
    },
  );

  test.each([
    [
      "a table of migrations",
      "create table state.migrations (version int)",
      "state.migrations is not",
    ],
    ["a table of tasks", "create table state.tasks (id int)", "not Holdfast's, it has tasks"],
    ["a view", "create view state.orders as select 1 as id", "not Holdfast's, it has orders"],
  ])(
    "refuses a schema state of another program with %s, and changes nothing",
    async (_, sql, words) => {
      await using database = await testDatabase();
      await queryOnce(database.url, `create schema state; ${sql}`);
      await expect(migrate(database.url)).rejects.toMatchObject({
        code: "store.migration_failed",
        message: expect.stringContaining(words),
      });
      const left = await queryOnce(
        database.url,
        "select from pg_class where relnamespace = 'state'::regnamespace and relkind in ('r', 'v')",
      );
      expect(left).toHaveLength(1);
    },
  );

  test("takes a database with tables of an application, and an empty schema that was made for it", async () => {
    await using database = await testDatabase();
    await queryOnce(
      database.url,
      "create schema state; create table public.tasks (id int); create table public.migrations (name text)",
    );
    expect((await migrate(database.url)).length).toBeGreaterThan(0);
    expect(await migrate(database.url)).toEqual([]);
  });
});

test.each([
  ["names with reserved characters", "shop #1/50% a&b?c=d+e@f"],
  ["names in Unicode", "bücher-🙂"],
])("a user, a password and a database have %s", async (_, name) => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(
    await createDatabase(serverOf(db.url), { name: `${name} ${process.pid}` }),
  );
  const quoted = `"${name} ${process.pid}"`;
  await queryOnce(serverOf(db.url), `create role ${quoted} superuser login password '${name}'`);
  stack.defer(async () => void (await queryOnce(serverOf(db.url), `drop role ${quoted}`)));
  const url = Object.assign(new URL(database.url), {
    username: encodeURIComponent(`${name} ${process.pid}`),
    password: encodeURIComponent(name),
  }).href;
  await migrate(url);
  await using store = await openStateStore({ url, applicationName: "test", maxConnections: 2 });
  await store.ping();
  await database.drop();
});

test("the store is reached by a socket, in all forms that libpq has for it", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "pg:socket-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const { hostname, port, username, password, pathname } = new URL(db.url);
  const sockets = createServer((socket) => {
    const server = connect(Number(port), hostname);
    socket.pipe(server).pipe(socket);
    for (const end of [socket, server]) end.on("error", () => {});
  });
  await new Promise<void>((resolve) => sockets.listen(join(folder, ".s.PGSQL.5432"), resolve));
  stack.defer(() => new Promise<void>((resolve) => sockets.close(() => resolve())));
  const encoded = encodeURIComponent(folder);
  for (const url of [
    `postgres://${username}:${password}@${pathname}?host=${folder}`,
    `postgres://${pathname}?host=${encoded}&user=${username}&password=${password}`,
    `postgres://${username}:${password}@localhost${pathname}?host=${folder}`,
    `postgres://${username}:${password}@${encoded}${pathname}`,
  ]) {
    expect(await migrate(url)).toEqual([]);
    await using store = await openStateStore({ url, applicationName: "test", maxConnections: 2 });
    await store.ping();
    await using inspector = openInspector({ url, applicationName: "test" });
    expect((await inspector.findServer()).isStandby).toBe(false);
  }
});

const program = findPgbouncer();
// Skipped, and counted as such, where PgBouncer is not installed.
(program === null ? test.skip : test)(
  "a pooler that nothing was said of ends the start, with what to write",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "holdfast-pgbouncer-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const pgbouncer = stack.use(
      await startPgbouncer(program ?? "", {
        url: db.url,
        connectQueries: { holdfast: "select 1" },
        dataFolder: join(folder, "pgbouncer"),
      }),
    );
    const url = pgbouncer.urlOf("holdfast");
    const begun = performance.now();
    await expect(
      openStateStore({ url, applicationName: "test", maxConnections: 2 }),
    ).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringContaining("add ?pooler=transaction"),
    });
    expect(performance.now() - begun).toBeLessThan(10_000);
    const said = `${url}?pgbouncer=true`;
    await using store = await openStateStore({
      url: said,
      applicationName: "test",
      maxConnections: 2,
    });
    await store.ping();
  },
);
