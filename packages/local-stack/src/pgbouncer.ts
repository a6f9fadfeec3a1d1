import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { onFreePorts } from "./on-free-ports.ts";
import { startProcess } from "./owned-process.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

const programs = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];
/** PgBouncer refuses to run as root, so root runs it where root has another number. */
const asNobody = ["unshare", "-U", "--map-user=65534", "--map-group=65534"] as const;
/** Milliseconds. */
const readyWithin = 10_000;
const stopWithin = 5_000;

/** Where PgBouncer is on this machine, or null. */
export const findPgbouncer = (): string | null =>
  programs.find((program) => existsSync(program)) ?? null;

interface PgbouncerOptions {
  /** Of a database, with a user who has a password. */
  readonly url: string;
  /** What it sends on each new connection to the server. */
  readonly connectQuery: string;
  readonly dataFolder: string;
}

/** Starts PgBouncer in transaction mode in front of a database. */
export async function startPgbouncer(
  program: string,
  { url, connectQuery, dataFolder }: PgbouncerOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port, pathname, username, password } = new URL(url);
  const name = pathname.slice(1);
  await mkdir(dataFolder, { recursive: true });
  const at = (file: string) => join(dataFolder, file);
  return onFreePorts(async () => {
    const listen = await freePort(25_900);
    const credentials = `user=${username} password=${password}`;
    const lines = [
      "[databases]",
      `${name} = host=${hostname} port=${port} dbname=${name} ${credentials} connect_query='${connectQuery}'`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${listen}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      "max_client_conn = 500",
      "default_pool_size = 20",
    ];
    await writeFile(at("pgbouncer.ini"), `${lines.join("\n")}\n`, { mode: 0o600 });
    const start = [program, at("pgbouncer.ini")] as const;
    const isRoot = process.getuid?.() === 0;
    const command = isRoot ? ([...asNobody, ...start] as const) : start;
    const server = startProcess("pgbouncer", command, { folder: dataFolder });
    const { href } = Object.assign(new URL(url), { port: String(listen) });
    const ready = { name: "PgBouncer", withinMs: readyWithin };
    await waitUntilReady(server, () => queryOnce(href, "select 1"), ready);
    return {
      url: href,
      [Symbol.asyncDispose]: () => server.stop("SIGTERM", stopWithin),
    };
  });
}
