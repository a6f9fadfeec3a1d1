import { createRequire } from "node:module";
import { join } from "node:path";
import { freePort, startProcess, waitUntilReady } from "@holdfast/local-stack";

export interface RestateServer {
  readonly pid: number;
  readonly ingressPort: number;
  /** Makes it know the services at that port of this machine. */
  register(port: number): Promise<void>;
}

/** Milliseconds. */
const readyWithin = 60_000;
const stopWithin = 10_000;

/**
 * Starts a Restate server with its own settings for durability: every write to its log is synced.
 * `owner` stops it.
 */
export async function startServer(
  owner: AsyncDisposableStack,
  { folder, peersFolder }: { readonly folder: string; readonly peersFolder: string },
): Promise<RestateServer> {
  const nodePort = await freePort(31_000);
  const adminPort = await freePort(nodePort + 1);
  const ingressPort = await freePort(adminPort + 1);
  const server = startProcess("restate-server", [programIn(peersFolder)], {
    folder,
    env: {
      PATH: process.env["PATH"],
      RESTATE_BASE_DIR: join(folder, "restate"),
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_LOG_FILTER: "warn",
      RESTATE_DISABLE_TELEMETRY: "true",
      DO_NOT_TRACK: "1",
    },
  });
  owner.defer(() => server.stop("SIGTERM", stopWithin));
  const admin = `http://127.0.0.1:${adminPort}`;
  const healthy = async () => {
    await mustBeOk(await fetch(`${admin}/health`));
    await mustBeOk(await fetch(`http://127.0.0.1:${ingressPort}/restate/health`));
  };
  await waitUntilReady(server, healthy, { name: "Restate", withinMs: readyWithin });
  return {
    pid: server.pid,
    ingressPort,
    async register(port) {
      const body = JSON.stringify({ uri: `http://127.0.0.1:${port}` });
      const headers = { "content-type": "application/json" };
      await mustBeOk(await fetch(`${admin}/deployments`, { method: "POST", headers, body }));
    },
  };
}

function programIn(peersFolder: string): string {
  const { resolve } = createRequire(join(peersFolder, "package.json"));
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return resolve(`${name}/bin/restate-server`);
}

async function mustBeOk(response: Response): Promise<void> {
  const text = await response.text();
  if (!response.ok) throw new Error(`Restate answered ${response.status}: ${text}`);
}
