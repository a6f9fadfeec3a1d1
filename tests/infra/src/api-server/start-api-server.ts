import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, startProcess, waitUntilReady } from "@holdfast/local-stack";
import { type Authority, makeAuthority } from "@holdfast/test-servers";
import type { Programs } from "./programs.ts";

const run = promisify(execFile);

export interface ApiServer extends AsyncDisposable {
  /** Runs kubectl, and returns what it says. Throws with its words. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** What a program that talks to the server needs in its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** The file with the address of the server and an administrator's token. */
  readonly kubeconfig: string;
  /** The one whose certificates the server takes from what it asks in turn. */
  readonly authority: Authority;
}

const token = "administrator";

/**
 * Starts etcd and an API server, without controllers and nodes: it takes and refuses objects, and
 * nothing runs.
 */
export async function startApiServer({ apiServer, etcd }: Programs): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kubernetes-"));
  const base = 30_100 + (process.pid % 500);
  const client = await freePort(base);
  const peer = await freePort(client + 1);
  const port = await freePort(peer + 1);
  const store = `http://127.0.0.1:${client}`;
  const etcdServer = startProcess(
    "etcd",
    [etcd, ...etcdOptions(folder, store, `http://127.0.0.1:${peer}`)],
    { folder },
  );
  writeFileSync(join(folder, "tokens.csv"), `${token},admin,1,"system:masters"\n`);
  const key = join(folder, "accounts.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const authority = await makeAuthority(folder);
  const proxy = await authority.issue(proxyName, `/CN=${proxyName}`);
  const server = startProcess(
    "kube-apiserver",
    [
      apiServer,
      ...serverOptions({ folder, store, port, key }),
      ...aggregationOptions(authority, proxy),
    ],
    { folder },
  );
  const url = `https://127.0.0.1:${port}`;
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(url));
  const env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig };
  const kubectl = async (args: readonly string[], input = ""): Promise<string> => {
    const running = run("kubectl", [...args], { env, maxBuffer: 64 * 1024 * 1024 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  const stop = async (): Promise<void> => {
    await server.stop("SIGTERM", 5_000);
    await etcdServer.stop("SIGTERM", 5_000);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(server, () => kubectl(["get", "--raw", "/readyz"]), {
      name: "kube-apiserver",
      withinMs: 120_000,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubectl, env, kubeconfig, authority, [Symbol.asyncDispose]: stop };
}

const etcdOptions = (folder: string, client: string, peer: string): readonly string[] => [
  `--data-dir=${join(folder, "etcd")}`,
  `--listen-client-urls=${client}`,
  `--advertise-client-urls=${client}`,
  `--listen-peer-urls=${peer}`,
  `--initial-advertise-peer-urls=${peer}`,
  `--initial-cluster=default=${peer}`,
];

interface ServerOptions {
  readonly folder: string;
  readonly store: string;
  readonly port: number;
  readonly key: string;
}

const serverOptions = ({ folder, store, port, key }: ServerOptions): readonly string[] => [
  `--etcd-servers=${store}`,
  "--bind-address=127.0.0.1",
  `--secure-port=${port}`,
  `--cert-dir=${join(folder, "certificates")}`,
  `--token-auth-file=${join(folder, "tokens.csv")}`,
  "--authorization-mode=RBAC",
  "--service-account-issuer=https://kubernetes.default.svc",
  `--service-account-key-file=${key}`,
  `--service-account-signing-key-file=${key}`,
  "--service-cluster-ip-range=10.96.0.0/16",
  "--endpoint-reconciler-type=none",
  // Accounts are made by a controller, of which there is none.
  "--disable-admission-plugins=ServiceAccount",
];

const proxyName = "front-proxy";

/** Options of the proxy before another server of a part of the API: whom it asks for. */
const aggregationOptions = (
  { ca }: Authority,
  { cert, key }: Awaited<ReturnType<Authority["issue"]>>,
): readonly string[] => [
  `--proxy-client-cert-file=${cert}`,
  `--proxy-client-key-file=${key}`,
  `--requestheader-client-ca-file=${ca}`,
  `--requestheader-allowed-names=${proxyName}`,
  "--requestheader-username-headers=X-Remote-User",
  "--requestheader-group-headers=X-Remote-Group",
  "--requestheader-extra-headers-prefix=X-Remote-Extra-",
];

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "local", context: { cluster: "local", user: "admin" } }],
    "current-context": "local",
  });
