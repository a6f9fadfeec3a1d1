import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  freePort,
  onFreePorts,
  queryOnce,
  startProcess,
  waitUntilReady,
} from "@holdfast/local-stack";

const programs = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];
/** PgBouncer refuses to run as root, so root runs it where root has another number. */
const asNobody = ["unshare", "-U", "--map-user=65534", "--map-group=65534"] as const;
/** Milliseconds. */
const readyWithin = 10_000;
const stopWithin = 5_000;

/** Finds PgBouncer on this machine, or null. */
export const findPgbouncer = (): string | null =>
  programs.find((program) => existsSync(program)) ?? null;

interface PgbouncerOptions {
  /** The URL of a database, with a user who has a password. */
  readonly url: string;
  /**
   * The names under which clients reach it, each with what PgBouncer sends on a new connection to
   * the server.
   */
  readonly connectQueries: Readonly<Record<string, string>>;
  readonly dataFolder: string;
}

/** PgBouncer in front of a database. */
export interface Pgbouncer extends AsyncDisposable {
  /** The URL for clients that reach it by one of the names. */
  urlOf(name: string): string;
}

/** Starts PgBouncer in transaction mode in front of a database. */
export async function startPgbouncer(
  program: string,
  { url, connectQueries, dataFolder }: PgbouncerOptions,
): Promise<Pgbouncer> {
  const { hostname, port, pathname, username, password } = new URL(url);
  const server = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`;
  const names = Object.entries(connectQueries);
  await mkdir(dataFolder, { recursive: true });
  const at = (file: string) => join(dataFolder, file);
  return onFreePorts(async () => {
    // Not all at the same one, where several start together.
    const listen = await freePort(24_000 + Math.floor(Math.random() * 900));
    const credentials = `user=${username} password=${password}`;
    const lines = [
      "[databases]",
      ...names.map(
        ([name, query]) => `${name} = ${server} ${credentials} connect_query='${query}'`,
      ),
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${listen}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      "max_client_conn = 500",
      "default_pool_size = 20",
      // Left at 15 s and 2 min, a short outage of Postgres would be a long one for its clients.
      "server_login_retry = 1",
      "query_wait_timeout = 10",
    ];
    await writeFile(at("pgbouncer.ini"), `${lines.join("\n")}\n`, { mode: 0o600 });
    const start = [program, at("pgbouncer.ini")] as const;
    const isRoot = process.getuid?.() === 0;
    const command = isRoot ? ([...asNobody, ...start] as const) : start;
    const pgbouncer = startProcess("pgbouncer", command, { folder: dataFolder });
    const urlOf = (name: string) =>
      Object.assign(new URL(url), { port: String(listen), pathname: name }).href;
    const ready = { name: "PgBouncer", withinMs: readyWithin };
    const first = Object.keys(connectQueries)[0] ?? "";
    await waitUntilReady(pgbouncer, () => queryOnce(urlOf(first), "select 1"), ready);
    return { urlOf, [Symbol.asyncDispose]: () => pgbouncer.stop("SIGTERM", stopWithin) };
  });
}
