import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProcess, waitUntilReady } from "@holdfast/local-stack";
import type { Keda } from "./keda.ts";
import type { ApiServer } from "./start-api-server.ts";

interface KedaOptions {
  readonly keda: Keda;
  /** The program with Kubernetes's own controllers. */
  readonly controllerManager: string;
  readonly server: ApiServer;
  /** The namespace whose Agents are scaled. */
  readonly namespace: string;
}

const home = "keda";

/**
 * Starts what scales Deployments on an API server: the operator and the metrics server of KEDA, and
 * those controllers of Kubernetes that make pods and that autoscale. There is no node: pods are
 * made, and none runs.
 */
export async function startKeda(options: KedaOptions): Promise<AsyncDisposable> {
  const { keda, server, namespace } = options;
  const { kubeconfig } = server;
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-keda-"));
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const certificates = join(folder, "certificates");
  await writeCertificates(server, certificates);
  const probes = await freePort(30_700 + (process.pid % 200));
  const metrics = await freePort(probes + 1);
  const secure = await freePort(metrics + 1);
  const prometheus = await freePort(secure + 1);
  const names = { WATCH_NAMESPACE: namespace, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace };
  const start = (name: string, command: readonly [string, ...string[]]) => {
    const running = startProcess(name, command, { folder, env: { ...server.env, ...names } });
    starting.defer(() => running.stop("SIGTERM", 5_000));
    return running;
  };
  await server.kubectl(["apply", "--server-side", "-f", keda.definitions]);
  await server.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
  await server.kubectl(["apply", "--server-side", "-f", "-"], JSON.stringify(metricsApi(secure)));
  start("operator", [
    keda.operator,
    "--enable-prometheus-metrics=false",
    `--health-probe-bind-address=127.0.0.1:${probes}`,
    `--metrics-service-bind-address=127.0.0.1:${metrics}`,
    `--cert-dir=${certificates}`,
  ]);
  const adapter = start("adapter", [
    keda.adapter,
    "--bind-address=127.0.0.1",
    `--secure-port=${secure}`,
    `--port=${prometheus}`,
    `--metrics-service-address=localhost:${metrics}`,
    `--cert-dir=${certificates}`,
    `--client-ca-file=${join(certificates, "ca.crt")}`,
    `--tls-cert-file=${join(certificates, "tls.crt")}`,
    `--tls-private-key-file=${join(certificates, "tls.key")}`,
    ...["lister", "authentication", "authorization"].map(
      (part) => `--${part}-kubeconfig=${kubeconfig}`,
    ),
  ]);
  await waitUntilReady(
    adapter,
    () => server.kubectl(["get", "--raw", "/apis/external.metrics.k8s.io/v1beta1"]),
    { name: "the metrics server of KEDA", withinMs: 60_000 },
  );
  start("controllers", [
    options.controllerManager,
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--secure-port=0",
    "--controllers=deployment-controller,replicaset-controller,horizontal-pod-autoscaler-controller",
    // Five minutes in a cluster.
    "--horizontal-pod-autoscaler-downscale-stabilization=5s",
    "--horizontal-pod-autoscaler-sync-period=1s",
  ]);
  return starting.move();
}

/** Writes the certificate of KEDA's programs, under the names that they look for. */
async function writeCertificates({ authority }: ApiServer, folder: string): Promise<void> {
  const { cert, key } = await authority.issue("keda", "/CN=keda");
  mkdirSync(folder);
  copyFileSync(authority.ca, join(folder, "ca.crt"));
  copyFileSync(cert, join(folder, "tls.crt"));
  copyFileSync(key, join(folder, "tls.key"));
}

/** The part of the API that KEDA serves. It is no pod here, but a process of this machine. */
const metricsApi = (port: number): object => ({
  apiVersion: "v1",
  kind: "List",
  items: [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: home } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "keda-metrics-apiserver", namespace: home },
      spec: { type: "ExternalName", externalName: "localhost" },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta1.external.metrics.k8s.io" },
      spec: {
        service: { name: "keda-metrics-apiserver", namespace: home, port },
        group: "external.metrics.k8s.io",
        version: "v1beta1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
      },
    },
  ],
});
