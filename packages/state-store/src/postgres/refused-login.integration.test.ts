import { randomUUID } from "node:crypto";
import { queryOnce } from "@holdfast/local-stack";
import { serverAccess } from "@holdfast/runtime";
import { openLink } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../roles.ts";

const resources = new AsyncDisposableStack();
const login = `login_${randomUUID().slice(0, 8)}`;
let db: TestStore;
let url: string;
let lines: string[];

beforeAll(async () => {
  db = resources.use(await openTestStore());
  await db.query(`create role ${login} login password 'first'`);
  resources.defer(async () => {
    await db.query(`drop owned by ${login}`);
    await db.query(`drop role ${login}`);
  });
  await db.query(`grant holdfast_submission to ${login}`);
});
beforeEach(async () => {
  await db.query(`alter role ${login} password 'first'`);
  url = withPassword("first");
  lines = [];
});
afterAll(async () => {
  await resources.disposeAsync();
});

const withPassword = (password: string) =>
  Object.assign(new URL(db.url), { username: login, password }).href;
const say = (fields: object, message: string) => {
  const { reason = "" } = fields as { readonly reason?: string };
  lines.push(`${message}: ${reason}`);
};
const accessTo = (read: () => string) =>
  serverAccess({ name: "state store", read, log: { info: say, warn: say, error: say } });
const open = (access: ReturnType<typeof accessTo>) =>
  openStateStore({ url: access, applicationName: "test", maxConnections: 3 });
const endSessions = () =>
  queryOnce(
    Object.assign(new URL(db.url), { pathname: "/postgres" }).href,
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${login}'`,
  );

/** Asks until the store answers; how often it was refused meanwhile. */
async function untilAnswered(store: StateStore): Promise<number> {
  for (let refused = 0; ; refused += 1) {
    if (
      await store.ping().then(
        () => true,
        () => false,
      )
    )
      return refused;
  }
}

test("a password that was changed is refused in one line, and the new one is used as soon as it can be read", async () => {
  const access = accessTo(() => url);
  await using store = await open(access);
  await db.query(`alter role ${login} password 'second'`);
  await endSessions();
  for (let count = 0; count < 5; count += 1) {
    await expect(store.ping()).rejects.toMatchObject({ code: "store.unavailable" });
  }
  expect(access.trouble()).toContain(`password authentication failed for user "${login}"`);
  url = withPassword("second");
  await untilAnswered(store);
  expect(access.trouble()).toBeNull();
  expect(lines).toEqual([
    `state store login refused: password authentication failed for user "${login}"`,
    "state store connection restored: ",
  ]);
});

test("however often the store is asked while it refuses the login, few connections are tried", async () => {
  const link = resources.use(await openLink(withPassword("wrong")));
  const access = accessTo(() => link.url);
  const opening = Array.from({ length: 20 }, () =>
    open(access).then(
      () => "opened",
      ({ code }: { readonly code: string }) => code,
    ),
  );
  expect(new Set(await Promise.all(opening))).toEqual(new Set(["store.unavailable"]));
  const { attempts } = access.state;
  for (let count = 0; count < 20; count += 1) await open(access).catch(() => {});
  expect(access.state.attempts - attempts).toBeLessThanOrEqual(20);
});

test.each([
  ["an unknown database", () => ({ pathname: "/unknown" }), 'database "unknown" does not exist'],
  ["an unknown user", () => ({ username: "unknown" }), 'authentication failed for user "unknown"'],
])("%s is a refused login, and no fault of the statement", async (_, part, words) => {
  const wrong = Object.assign(new URL(url), part()).href;
  const access = accessTo(() => wrong);
  await expect(open(access)).rejects.toMatchObject({ code: "store.unavailable", transient: true });
  expect(access.state.kind).toBe("refused");
  expect(access.trouble()).toContain(words);
});

test.each(["a listener that never answers", "a port on which nothing listens"])(
  "the wait for %s ends with its signal",
  async (place) => {
    await using link = await openLink(url);
    if (place.startsWith("a listener")) link.hold(["toServer", "toClient"]);
    else link.takeDown();
    const stop = new AbortController();
    const reason = new Error("stopping");
    const access = accessTo(() => link.url);
    const opening = openStateStore({
      url: access,
      applicationName: "test",
      maxConnections: 2,
      signal: stop.signal,
    });
    stop.abort(reason);
    await expect(opening).rejects.toBe(reason);
  },
);
