import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { queryOnce, startPostgres } from "@holdfast/local-stack";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStateStore } from "../open-state-store.ts";
import { migrate } from "./migrate.ts";

const run = promisify(execFile);
const logins = fileURLToPath(new URL("../../../../infra/postgres/logins.sql", import.meta.url));
const psql = ["/usr/bin/psql", "/opt/homebrew/bin/psql"].find((file) => existsSync(file)) ?? null;
/** Skipped, and counted as such, where psql is not installed. */
const testWithPsql = psql === null ? test.skip : test;

const kinds = ["owner", "submission", "operations", "scheduler", "supervisor", "observer"] as const;

let resources: AsyncDisposableStack;
let server: string;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), "holdfast-logins-"));
  resources.defer(() => rm(dataFolder, { recursive: true, force: true }));
  if (psql !== null) server = resources.use(await startPostgres({ dataFolder })).url;
});
afterEach(() => resources.disposeAsync());

const at = (database: string, user: string, password = "x"): string =>
  Object.assign(new URL(server), { pathname: `/${database}`, username: user, password }).href;

/** Runs logins.sql as an administrator; each login gets the password that begins with this word. */
async function runLogins(url: string, word: string, more: Readonly<Record<string, string>> = {}) {
  const passwords = kinds.map((kind) => [`${kind.toUpperCase()}_PASSWORD`, `${word}'${kind}`]);
  const env = { PATH: process.env["PATH"], ...Object.fromEntries(passwords), ...more };
  const args = ["--no-psqlrc", "--quiet", `--file=${logins}`, url];
  return await run(psql ?? "", args, { env });
}

/**
 * Roles as providers make them: none is a superuser, and the database may be theirs or their
 * group's.
 */
const providers: Readonly<Record<string, readonly string[]>> = {
  "a plain administrator": [
    "create role adm login createrole createdb password 'x'",
    "create database shop owner adm",
  ],
  "RDS and Aurora": [
    "create role rds_superuser nologin createrole createdb",
    "grant pg_monitor, pg_signal_backend, pg_read_all_stats to rds_superuser with admin option",
    "create role adm login createrole createdb password 'x'",
    "grant rds_superuser to adm",
    "create database shop owner adm",
  ],
  "Cloud SQL": [
    "create role cloudsqlsuperuser nologin createrole createdb",
    "grant pg_monitor to cloudsqlsuperuser",
    "create role adm login createrole createdb password 'x'",
    "grant cloudsqlsuperuser to adm",
    "create database shop owner cloudsqlsuperuser",
  ],
  Neon: [
    "create role neon_superuser nologin createrole createdb bypassrls replication",
    "grant pg_read_all_data, pg_write_all_data, pg_monitor to neon_superuser",
    "create role adm login createrole createdb bypassrls replication password 'x'",
    "grant neon_superuser to adm",
    "create database shop owner adm",
  ],
  Supabase: [
    "create role adm login createrole createdb bypassrls replication password 'x'",
    "create role anon nologin",
    "grant anon to adm",
    "create database shop owner adm",
    "revoke create on schema public from public",
  ],
  "a superuser": ["create role adm login superuser password 'x'", "create database shop"],
};

async function makeProvider(name: string): Promise<void> {
  for (const sql of providers[name] ?? []) await queryOnce(server, sql);
}

testWithPsql.each(Object.keys(providers))(
  "the administrator of %s makes the logins twice, and the store works with them",
  async (name) => {
    await makeProvider(name);
    await runLogins(at("shop", "adm"), "first");
    await runLogins(at("shop", "adm"), "second");
    await migrate(at("shop", "holdfast", "second'owner"));
    await runLogins(at("shop", "adm"), "third");
    expect(await migrate(at("shop", "holdfast", "third'owner"))).toEqual([]);
    for (const kind of kinds.slice(1)) {
      const url = at("shop", kind, `third'${kind}`);
      await using store = await openStateStore({ url, applicationName: "test", maxConnections: 2 });
      await store.ping();
      await expect(queryOnce(at("shop", kind, `first'${kind}`), "select 1")).rejects.toThrow(
        "password authentication failed",
      );
    }
  },
);

(psql === null ? test.skip : test)(
  "another database of the server changes no password without a word",
  async () => {
    await makeProvider("a plain administrator");
    await runLogins(at("shop", "adm"), "shop");
    await queryOnce(server, "create database staging owner adm");
    const staging = at("staging", "adm");
    await expect(runLogins(staging, "staging")).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /the logins are also those of the database shop.*\n.*Set LOGIN_PREFIX/,
      ),
    });
    await queryOnce(at("shop", "scheduler", "shop'scheduler"), "select 1");

    await runLogins(staging, "staging", { LOGIN_PREFIX: "staging_" });
    await migrate(at("staging", "staging_holdfast", "staging'owner"));
    await migrate(at("shop", "holdfast", "shop'owner"));
    const url = at("staging", "staging_scheduler", "staging'scheduler");
    await using store = await openStateStore({ url, applicationName: "test", maxConnections: 2 });
    await store.ping();
    await expect(
      queryOnce(at("staging", "scheduler", "shop'scheduler"), "select 1"),
    ).rejects.toThrow("permission denied for database");
    await runLogins(staging, "staging", { LOGIN_PREFIX: "staging_" });

    await runLogins(at("shop", "adm"), "shared", { SHARED_LOGINS: "yes" });
    await queryOnce(at("shop", "scheduler", "shared'scheduler"), "select 1");
  },
);
