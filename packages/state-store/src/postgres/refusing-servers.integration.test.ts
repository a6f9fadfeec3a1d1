import { randomUUID } from "node:crypto";
import { queryOnce } from "@holdfast/local-stack";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { newTask, openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import { insist } from "../../test/outages.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../roles.ts";

const resources = new AsyncDisposableStack();
const login = `login_${randomUUID().slice(0, 8)}`;
let db: TestStore;
let database: string;
let server: string;
let url: string;
let store: StateStore;

beforeAll(async () => {
  db = resources.use(await openTestStore());
  database = new URL(db.url).pathname.slice(1);
  // Not the database under test: it is made to refuse connections.
  server = Object.assign(new URL(db.url), { pathname: "/postgres" }).href;
  await db.query(`create role ${login} login password 'first'`);
  resources.defer(async () => {
    await db.query(`drop owned by ${login}`);
    await db.query(`drop role ${login}`);
  });
  await db.query(`grant holdfast_submission to ${login}`);
  url = Object.assign(new URL(db.url), { username: login, password: "first" }).href;
  store = resources.use(await open());
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
});
afterAll(async () => {
  await resources.disposeAsync();
});

const open = () => openStateStore({ url, applicationName: "test", maxConnections: 3 });
const submit = () => store.submitTasks([newTask()], { actor: "test" });
const asAdministrator = (sql: string) => queryOnce(server, sql);
const endSessions = () =>
  asAdministrator(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${login}'`,
  );
const unavailable = { code: "store.unavailable", transient: true };

const refusals = [
  {
    name: "is read-only",
    begin: () => `alter database ${database} set default_transaction_read_only = on`,
    end: () => `alter database ${database} reset default_transaction_read_only`,
  },
  {
    name: "refuses the password",
    begin: () => `alter role ${login} password 'second'`,
    end: () => `alter role ${login} password 'first'`,
  },
  {
    name: "does not let the login in",
    begin: () => `alter role ${login} nologin`,
    end: () => `alter role ${login} login`,
  },
  {
    name: "accepts no connections to the database",
    begin: () => `alter database ${database} allow_connections false`,
    end: () => `alter database ${database} allow_connections true`,
  },
  {
    name: "has no connection left",
    begin: () => `alter role ${login} connection limit 0`,
    end: () => `alter role ${login} connection limit -1`,
  },
];

afterEach(async () => {
  for (const { end } of refusals) await asAdministrator(end());
});

test.each(refusals)(
  "a store that $name is unavailable, and works again as soon as that is over",
  async ({ begin, end }) => {
    await submit();
    await asAdministrator(begin());
    await endSessions();
    await expect(submit()).rejects.toMatchObject(unavailable);
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await asAdministrator(end());
    // The longer it was refused, the longer the process rests between two attempts.
    await insist(() => store.ping());
    expect(await submit()).toMatchObject([{ kind: "created" }]);
  },
);

test("a connection whose server becomes read-only is discarded", async () => {
  await submit();
  const sessions = () =>
    db.query(`select pid from pg_stat_activity where usename = '${login}' order by pid`);
  const before = await sessions();
  expect(before).not.toEqual([]);
  await db.query(
    "create function public.turn() returns trigger language plpgsql as $$ begin raise 'read-only' using errcode = '25006'; end $$",
  );
  await db.query("create trigger turn before insert on state.tasks execute function public.turn()");
  await expect(submit()).rejects.toMatchObject(unavailable);
  await db.query("drop function public.turn cascade");
  await submit();
  expect(await sessions()).not.toEqual(before);
});
