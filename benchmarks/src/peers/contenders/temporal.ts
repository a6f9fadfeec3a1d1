import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDatabase, freePort, startProcess, waitUntilReady } from "@holdfast/local-stack";
import { runContender } from "../contender-program.ts";
import { builtFolder } from "../foreign-programs.ts";
import { startDriver } from "../start-driver.ts";

const run = promisify(execFile);
/** Milliseconds. */
const readyWithin = 60_000;
const stopWithin = 20_000;
const services = ["frontend", "history", "matching", "worker"] as const;

interface Ports {
  readonly grpc: number;
  readonly membership: number;
}

await runContender(async (owner, { databaseUrl, folder, peersFolder }) => {
  const built = builtFolder(peersFolder, "temporal");
  const visibility = owner.use(await createDatabase(databaseUrl));
  await makeSchema(join(built, "sql"), databaseUrl, "temporal");
  await makeSchema(join(built, "sql"), visibility.url, "visibility");

  const ports = await portsOfServices();
  const config = join(folder, "config");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "bench.yaml"), configOf([databaseUrl, visibility.url], ports));
  const command = [join(built, "server"), "--root", folder, "--config", "config", "--env", "bench"];
  const server = startProcess("temporal-server", [command[0] ?? "", ...command.slice(1), "start"], {
    folder,
    env: { PATH: process.env["PATH"] },
  });
  owner.defer(() => server.stop("SIGTERM", stopWithin));
  const { grpc } = ports.get("frontend") ?? { grpc: 0 };
  const answers = async () => {
    const socket = connect({ host: "127.0.0.1", port: grpc });
    await once(socket, "connect");
    socket.destroy();
  };
  await waitUntilReady(server, answers, { name: "Temporal", withinMs: readyWithin });
  const { subject, pids } = await startDriver(owner, {
    command: [join(built, "temporal")],
    env: { TEMPORAL_ADDRESS: `127.0.0.1:${grpc}` },
    folder,
  });
  return { subject, pids: { temporal: server.pid, ...pids } };
});

/**
 * Temporal stores ports of its members as signed numbers of 16 bits, so all of them are below
 * 32,768.
 */
async function portsOfServices(): Promise<ReadonlyMap<(typeof services)[number], Ports>> {
  const ports = new Map<(typeof services)[number], Ports>();
  let next = 21_000;
  for (const service of services) {
    const grpc = await freePort(next);
    const membership = await freePort(grpc + 1);
    ports.set(service, { grpc, membership });
    next = membership + 1;
  }
  return ports;
}

async function makeSchema(
  tool: string,
  databaseUrl: string,
  schema: "temporal" | "visibility",
): Promise<void> {
  const { host, port, user, password, name } = partsOf(databaseUrl);
  const database = ["--plugin", "postgres12", "--ep", host, "--port", port, "--db", name];
  const login = ["--user", user, "--pw", password];
  await run(tool, [...database, ...login, "setup-schema", "--version", "0.0"]);
  const update = ["update-schema", "--schema-name", `postgresql/v12/${schema}`];
  await run(tool, [...database, ...login, ...update]);
}

function partsOf(databaseUrl: string) {
  const { hostname: host, port, username, password, pathname } = new URL(databaseUrl);
  const [user, secret, name] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return { host, port, user: user ?? "", password: secret ?? "", name: name ?? "" };
}

/** How the server reaches a database. */
function sqlStoreOf(databaseUrl: string) {
  const { host, port, user, password, name } = partsOf(databaseUrl);
  return {
    pluginName: "postgres12",
    databaseName: name,
    connectAddr: `${host}:${port}`,
    connectProtocol: "tcp",
    user,
    password,
    maxConns: 20,
    maxIdleConns: 20,
    maxConnLifetime: "1h",
  };
}

function rpcOf({ grpc, membership }: Ports) {
  return { rpc: { grpcPort: grpc, membershipPort: membership, bindOnLocalHost: true } };
}

/**
 * The server's settings: all four services in one process, the store in Postgres. JSON is YAML,
 * too.
 */
function configOf(
  [store = "", visibility = ""]: readonly string[],
  ports: Awaited<ReturnType<typeof portsOfServices>>,
): string {
  const disabled = { state: "disabled" };
  const frontend = `127.0.0.1:${ports.get("frontend")?.grpc ?? 0}`;
  return JSON.stringify({
    log: { stdout: true, level: "error" },
    persistence: {
      defaultStore: "default",
      visibilityStore: "visibility",
      numHistoryShards: 4,
      datastores: {
        default: { sql: sqlStoreOf(store) },
        visibility: { sql: sqlStoreOf(visibility) },
      },
    },
    global: { membership: { maxJoinDuration: "30s", broadcastAddress: "127.0.0.1" } },
    services: Object.fromEntries(
      [...ports].map(([service, itsPorts]) => [service, rpcOf(itsPorts)]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: "active",
      currentClusterName: "active",
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: "frontend",
          rpcAddress: frontend,
        },
      },
    },
    dcRedirectionPolicy: { policy: "noop" },
    archival: { history: disabled, visibility: disabled },
    namespaceDefaults: { archival: { history: disabled, visibility: disabled } },
    publicClient: { hostPort: frontend },
  });
}
