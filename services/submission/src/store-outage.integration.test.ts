import { randomUUID } from "node:crypto";
import { queryOnce } from "@holdfast/local-stack";
import { openHealth } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { type Link, migratedDatabase, openLink } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bookTrip, sampleBooking } from "../test/bookings.ts";
import { serve } from "../test/serve.ts";

const resources = new AsyncDisposableStack();
let link: Link;
let url: string;
let app: ReturnType<typeof serve>;
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  ({ url } = database);
  link = resources.use(await openLink(url));
  const store = resources.use(
    await openStateStore({ url: link.url, applicationName: "test", maxConnections: 2 }),
  );
  await store.registerWorkflow(bookTrip);
  // Its answers are cached for a second; here a second passes with each question.
  let seconds = 0;
  const now = () => (seconds += 1) * 1_000;
  const health = openHealth(new AbortController().signal, { now });
  health.check("state store", () => store.ping().then(() => true));
  app = resources.use(serve(store, { health }));
});
afterAll(async () => {
  await resources.disposeAsync();
});

const post = (key: string) =>
  app.inject({
    method: "POST",
    url: "/v1/bookings",
    headers: { "content-type": "application/json", "idempotency-key": key },
    payload: JSON.stringify(sampleBooking()),
  });

const tasks = async () =>
  (await queryOnce<{ n: number }>(url, "select count(*)::int as n from state.tasks"))[0]?.n;

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

const ready = async () => (await app.inject({ url: "/health/ready" })).statusCode;

const notNow = { status: 503, code: "store.unavailable" };

test("while Postgres is away, each booking gets a 503 soon, and the same one is taken afterwards", async () => {
  link.takeDown();
  const keys = Array.from({ length: 30 }, (_, index) => `away-${index}`);
  const [answers, took] = await timed(() => Promise.all(keys.map(post)));
  expect(took).toBeLessThan(6_000);
  for (const answer of answers) {
    expect(answer.json()).toMatchObject(notNow);
    expect(answer.headers["retry-after"]).toBe("1");
  }
  expect((await app.inject({ url: "/health/ready" })).statusCode).toBe(503);
  expect((await app.inject({ url: "/health/live" })).statusCode).toBe(200);
  link.heal();
  expect((await Promise.all(keys.map(post))).map(({ statusCode }) => statusCode)).toEqual(
    keys.map(() => 202),
  );
  expect(await tasks()).toBe(30);
});

test("while Postgres is read-only, bookings get a 503 and readiness fails, until it accepts writes", async () => {
  const database = new URL(url).pathname.slice(1);
  await queryOnce(url, `alter database ${database} set default_transaction_read_only = on`);
  link.reset();
  const refused = await post("read-only");
  const since = /since (\S+)\)/;
  expect(refused.json()).toMatchObject({
    ...notNow,
    detail: expect.stringMatching(/^The state store takes no writes: .* \(since \S+Z\)\. Send the/),
  });
  expect(refused.headers["retry-after"]).toBe("1");
  const again = await post("read-only");
  expect(since.exec(again.body)?.[1]).toBe(since.exec(refused.body)?.[1]);
  expect(await ready()).toBe(503);
  const server = Object.assign(new URL(url), { pathname: "/postgres" }).href;
  await queryOnce(server, `alter database ${database} reset default_transaction_read_only`);
  expect((await post("read-only")).statusCode).toBe(202);
  expect(await ready()).toBe(200);
});

test("while Postgres is silent, bookings are not kept waiting for ever", async () => {
  await post("before");
  link.hold(["toServer", "toClient"]);
  const [answers, took] = await timed(() => Promise.all(["one", "two"].map(post)));
  expect(took).toBeLessThan(20_000);
  expect(answers.map((answer) => answer.statusCode)).toEqual([503, 503]);
  link.reset();
  link.heal();
  expect((await post("one")).statusCode).toBe(202);
});

/** A login of its own, so that what is done to it hurts no other test of this server. */
async function ownLogin() {
  const name = `login_${randomUUID().replaceAll("-", "")}`;
  const asked = (statement: string) => queryOnce(url, statement);
  await asked(`create role ${name} login superuser password 'first'`);
  const address = new URL(url);
  address.username = name;
  address.password = "first";
  return {
    name,
    url: address.href,
    [Symbol.asyncDispose]: async () => void (await asked(`drop role ${name}`)),
  };
}

/** Ends its connections, so that it has to connect again. */
const disconnect = ({ name }: { readonly name: string }) =>
  onServer(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = '${name}'`,
  );

const current = () => `"${new URL(url).pathname.slice(1)}"`;
const onServer = (statement: string) => {
  const server = new URL(url);
  server.pathname = "/postgres";
  return queryOnce(server.href, statement);
};

test.each<[string, (login: string) => Promise<unknown>, (login: string) => Promise<unknown>]>([
  [
    "only reads, as a standby does",
    (login) => onServer(`alter role ${login} set default_transaction_read_only = on`),
    (login) => onServer(`alter role ${login} reset default_transaction_read_only`),
  ],
  [
    "refuses the password, because it was rotated",
    (login) => onServer(`alter role ${login} password 'second'`),
    (login) => onServer(`alter role ${login} password 'first'`),
  ],
  [
    "does not let the user log in",
    (login) => onServer(`alter role ${login} nologin`),
    (login) => onServer(`alter role ${login} login`),
  ],
  [
    "accepts no connections to the database",
    () => onServer(`alter database ${current()} allow_connections false`),
    () => onServer(`alter database ${current()} allow_connections true`),
  ],
])("while Postgres %s, a booking gets a 503, and is taken afterwards", async (...faulty) => {
  const [, begin, end] = faulty;
  await using login = await ownLogin();
  await using store = await openStateStore({
    url: login.url,
    applicationName: "test",
    maxConnections: 2,
  });
  await using own = serve(store);
  const booking = JSON.stringify(sampleBooking());
  const submit = () =>
    own.inject({
      method: "POST",
      url: "/v1/bookings",
      headers: { "content-type": "application/json" },
      payload: booking,
    });
  expect((await submit()).statusCode).toBe(202);
  await begin(login.name);
  try {
    await disconnect(login);
    const refused = await submit();
    expect(refused.json()).toMatchObject({ status: 503 });
    expect(refused.headers["retry-after"]).toBe("1");
  } finally {
    await end(login.name);
  }
  await disconnect(login);
  expect((await submit()).statusCode).toBe(202);
});
