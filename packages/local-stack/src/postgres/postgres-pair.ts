import { execFile } from "node:child_process";
import { appendFile, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import { passwordFor } from "../folders/passwords.ts";
import type { PostgresServer } from "../server.ts";
import { startClusterServer } from "./embedded-postgres.ts";
import { makeCluster } from "./make-cluster.ts";
import { type PostgresAccount, postgresAccount } from "./postgres-account.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { queryOnce } from "./query-once.ts";

const run = promisify(execFile);
const name = "holdfast";

/**
 * A primary and its standby: two clusters on this machine, the second one streams from the first.
 */
export interface PostgresPair extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The URL of a database on both of them, the primary first. */
  urlOf(database: string): string;
  /** Ends the standby's recovery. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** The standby receives nothing more, as if the network between the two were cut. */
  cutReplication(): Promise<void>;
}

interface PairOptions {
  readonly dataFolder: string;
  /** `synchronous`: a commit waits until the standby has written it. */
  readonly replication: "synchronous" | "asynchronous";
}

/**
 * Starts both. The standby begins as a copy of the primary's files that was made before the first
 * start, and takes all that follows from the primary's log: no `pg_basebackup` is needed.
 */
export async function startPostgresPair({
  dataFolder,
  replication,
}: PairOptions): Promise<PostgresPair> {
  const binaries = findPostgresBinaries();
  if (binaries === null) throw new Error("There is no embedded Postgres for this machine.");
  await using started = disposableStack();
  const folders = { primary: join(dataFolder, "primary"), standby: join(dataFolder, "standby") };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  const password = passwordFor("postgres", dataFolder);
  const first = await postgresAccount(binaries, folders.primary);
  const second = await postgresAccount(binaries, folders.standby);
  await makeCluster(first, { name, password });
  await run("cp", ["-a", first.clusterFolder, second.clusterFolder]);

  const options = { purpose: "test" as const };
  const primary = started.use(
    await startClusterServer(first, password, { ...options, dataFolder: folders.primary }),
  );
  await follow(second, primary.url);
  const standby = started.use(
    await startClusterServer(second, password, { ...options, dataFolder: folders.standby }),
  );
  const streams = "select 1 from pg_stat_replication where state = 'streaming'";
  await untilFound(primary.url, streams);
  if (replication === "synchronous") {
    await queryOnce(primary.url, "alter system set synchronous_standby_names = '*'");
    await queryOnce(primary.url, "select pg_reload_conf()");
    const isSync = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await untilFound(primary.url, isSync);
  }
  const all = started.move();
  return {
    primary,
    standby,
    urlOf(database) {
      const { host } = new URL(standby.url);
      const url = Object.assign(new URL(primary.url), { pathname: `/${database}` });
      return url.href.replace(url.host, `${url.host},${host}`);
    },
    promote: async () => void (await queryOnce(standby.url, "select pg_promote(true, 30)")),
    async cutReplication() {
      await queryOnce(standby.url, "alter system set primary_conninfo = ''");
      await queryOnce(standby.url, "select pg_reload_conf()");
      await untilFound(primary.url, "select 1 where not exists (select from pg_stat_replication)");
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Milliseconds. */
const interval = 50;
const timeout = 30_000;

async function untilFound(url: string, question: string): Promise<void> {
  const giveUpAt = performance.now() + timeout;
  while ((await queryOnce(url, question)).length === 0) {
    if (performance.now() > giveUpAt)
      throw new Error(`Postgres never answered with a row: ${question}`);
    await sleep(interval);
  }
}

async function follow({ clusterFolder, user }: PostgresAccount, url: string): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const from = `host=${hostname} port=${port} user=${username} password=${password}`;
  const signal = join(clusterFolder, "standby.signal");
  await writeFile(signal, "");
  if (user) await chown(signal, user.uid, user.gid);
  const settings = [`primary_conninfo = '${from} application_name=standby'`, "hot_standby = on"];
  await appendFile(join(clusterFolder, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
}
