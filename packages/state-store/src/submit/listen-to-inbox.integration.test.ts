import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPgbouncer, openLink, startPgbouncer } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import { listenToInbox } from "./listen-to-inbox.ts";

let app: TestApplication;
beforeAll(async () => {
  app = await openTestApplication();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await app.clear();
  await app.db.query("truncate state.instances");
});

const enqueue = (by: Pick<TestApplication["application"], "query"> = app.application) =>
  by.query(`select state.enqueue_submission('{"workflow": "trip", "input": {"x": 1}}')`);

/** A process that listens, and has announced itself. */
async function listener(instance: string, url = app.db.url) {
  const channel = `inbox_${instance}_${randomUUID()}`;
  const ending = new AbortController();
  const listening = Promise.withResolvers<void>();
  const wakes = { count: 0, isListening: false };
  let onWake = (): void => {};
  const ended = listenToInbox({
    url,
    applicationName: instance,
    channel,
    signal: ending.signal,
    onListening(isListening) {
      wakes.isListening = isListening;
      listening.resolve();
    },
    onEnqueued() {
      wakes.count += 1;
      onWake();
    },
  });
  await listening.promise;
  await app.store.recordInstance({
    service: "submission",
    instance,
    version: "1",
    slots: null,
    inboxChannel: channel,
  });
  return {
    wakes,
    ended,
    /** Resolves once it was woken so often. */
    woken: (count: number) =>
      new Promise<void>((resolve) => {
        onWake = () => (wakes.count >= count ? resolve() : undefined);
        onWake();
      }),
    /** Wakes it directly: what was sent before has come by then. */
    prod: () => app.db.query(`select pg_notify('${channel}', '')`),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended;
    },
  };
}

test("a process ends soon that listens to a server which has fallen silent", async () => {
  await using link = await openLink(app.db.url);
  const { ended, ...one } = await listener("silenced", link.url);
  link.silence();
  const asked = performance.now();
  await one[Symbol.asyncDispose]();
  expect(await ended).toBe("ended");
  expect(performance.now() - asked).toBeLessThan(10_000);
});

test("what is enqueued wakes a process when its transaction commits, and what is rolled back wakes none", async () => {
  await using one = await listener("one");
  await app.application.query("begin");
  await enqueue();
  await app.application.query("rollback");
  await app.application.query("begin");
  await enqueue();
  await one.prod();
  await one.woken(1);
  await app.application.query("commit");
  await one.woken(2);
  await one.prod();
  await one.woken(3);
  expect(one.wakes.count).toBe(3);
});

test("of many processes one is woken, which announced itself last", async () => {
  await using first = await listener("first");
  await using last = await listener("last");
  await enqueue();
  await last.woken(1);
  await first.prod();
  await first.woken(1);
  expect([first.wakes.count, last.wakes.count]).toEqual([1, 1]);
});

test("while something waits, and where a transaction says so, no commit has to notify", async () => {
  await using one = await listener("one");
  await enqueue();
  await one.woken(1);
  await enqueue();
  await app.db.query("update state.inbox set leased_until = clock_timestamp()");
  await app.application.query("begin");
  await app.application.query("set local holdfast.notify = 'off'");
  await enqueue();
  await app.application.query("commit");
  await app.db.query("update state.inbox set leased_until = clock_timestamp()");
  await one.prod();
  await one.woken(2);
  expect(one.wakes.count).toBe(2);
  // What a process has taken already is being made: whatever comes then wakes one again.
  await enqueue();
  await one.woken(3);
});

test("a connection that ends says that it no longer listens", async () => {
  await using one = await listener("one");
  await app.db.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'one' and datname = current_database()",
  );
  expect(await one.ended).toBe("ended");
  expect(one.wakes.isListening).toBe(false);
});

const listen = (url: string, onListening = () => {}) =>
  listenToInbox({
    url,
    applicationName: "pooled",
    channel: "inbox",
    signal: AbortSignal.timeout(60_000),
    onListening,
    onEnqueued: () => {},
  });

test("behind a pooler that the URL names no connection is opened", async () => {
  expect(await listen("postgres://127.0.0.1:1/nothing?pooler=transaction")).toBe("pooled");
});

const program = findPgbouncer();
/** Skipped, and counted as such, where PgBouncer is not installed. */
const testWithPgbouncer = program === null ? test.skip : test;

testWithPgbouncer(
  "a pooler that the URL does not name is noticed, and not listened through",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "holdfast-pgbouncer-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const dataFolder = join(folder, "pgbouncer");
    const started = await startPgbouncer(program ?? "", {
      url: app.db.url,
      connectQueries: { holdfast: "set lock_timeout = 5000" },
      dataFolder,
    });
    const pgbouncer = stack.use(started);
    expect(await listen(pgbouncer.urlOf("holdfast"))).toBe("pooled");
    expect(
      await app.db.query(
        "select from pg_stat_activity where query ilike 'listen%' and datname = current_database()",
      ),
    ).toEqual([]);
  },
);
