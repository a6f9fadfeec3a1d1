import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { kedaPrograms, kedaVersion } from "./api-server/keda.ts";
import { apiServerPrograms, controllerManager, kubernetesVersion } from "./api-server/programs.ts";
import { type ApiServer, startApiServer } from "./api-server/start-api-server.ts";
import { startKeda } from "./api-server/start-keda.ts";
import { answerOf, type Series } from "./autoscaler.ts";
import { getHelm, renderChart } from "./helm.ts";
import { ofKind } from "./manifest.ts";

const programs = apiServerPrograms();
const controllers = controllerManager();
const keda = kedaPrograms();
const helm = getHelm();
const [why = null] = [programs, controllers, keda, helm].flatMap((one) =>
  "reason" in one ? [one.reason] : [],
);
if (why !== null) process.stderr.write(`KEDA scales nothing: ${why}.\n`);
const describeScaled = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

const namespace = "holdfast";
const stopping = new AsyncDisposableStack();
afterAll(() => stopping.disposeAsync());

/** What Prometheus has of the Schedulers. */
let series: Series = {};
let server: ApiServer;
let scaled: readonly IScaledObject[] = [];

/** What waits for the Agents, and what they perform: `hotels` performs what waits for `beds`. */
const exposed = (due: Readonly<Record<string, number>>, inFlight: number): Series => ({
  holdfast_due_steps: { flights: 0, ...due },
  holdfast_agent_in_flight_steps: { flights: 0, hotels: inFlight },
});

/** Serves a Prometheus that knows these series. Resolves to its URL. */
async function servePrometheus(): Promise<string> {
  const prometheus = createServer((request, response) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams.get("query") ?? "";
    const answer = answerOf(query, series);
    const result = answer === null ? [] : [{ metric: {}, value: [0, String(answer)] }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: "success", data: { resultType: "vector", result } }));
  }).listen(0, "127.0.0.1");
  await once(prometheus, "listening");
  stopping.defer(() => {
    prometheus.closeAllConnections();
    prometheus.close();
  });
  return `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  if ("reason" in programs || "reason" in controllers || "reason" in keda) return;
  if ("reason" in helm) return;
  server = stopping.use(await startApiServer(programs));
  await server.kubectl(["create", "namespace", namespace]);
  const { command } = controllers;
  stopping.use(await startKeda({ keda, controllerManager: command, server, namespace }));
  const prometheus = await servePrometheus();
  series = exposed({ hotels: 0, beds: 0 }, 0);
  const agents = [
    { name: "hotels", min: 0, max: 7, slots: 10, pools: ["beds"] },
    { name: "flights", min: 2, max: 9 },
  ];
  const objects = renderChart(helm, [
    "--set-json",
    `agents=${JSON.stringify(agents)}`,
    "--set",
    `keda.enabled=true,keda.serverAddress=${prometheus},keda.pollingInterval=1`,
  ]);
  scaled = ofKind(objects, "ScaledObject") as readonly IScaledObject[];
  // KEDA reads the environment of what it scales: without its secrets it makes no autoscaler.
  const items = [...secretsOf(JSON.stringify(objects)), ...objects];
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const options = ["--server-side", "--validate=strict", "--namespace", namespace];
  await server.kubectl(["apply", ...options, "-f", "-"], text);
});

/** The secrets to whose keys a text of objects refers, with a value for each. */
function secretsOf(text: string): readonly object[] {
  const references = [...text.matchAll(/"secretKeyRef":(\{[^{}]*\})/g)].map(
    ([, reference = ""]) =>
      JSON.parse(reference) as { readonly name: string; readonly key: string },
  );
  return [...Map.groupBy(references, ({ name }) => name)].map(([name, some]) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: Object.fromEntries(some.map(({ key }) => [key, "a value"])),
  }));
}

const shown = async <Kind>(name: string): Promise<Kind> =>
  JSON.parse(await server.kubectl(["get", name, "--namespace", namespace, "-o", "json"])) as Kind;

/** Resolves once the Deployment is to have that many pods and that many have been made for it. */
async function hasPods(name: string, count: number): Promise<void> {
  for (;;) {
    const { spec, status } = await shown<IDeployment>(`deployment/${name}`);
    if (spec?.replicas === count && (status?.replicas ?? 0) === count) return;
    await sleep(200);
  }
}

/** How many steps an autoscaler has a pod for. */
function stepsOfPod(autoscaler: IHorizontalPodAutoscaler | undefined): number {
  const [metric] = autoscaler?.spec.metrics ?? [];
  return Number(metric?.external?.target.averageValue);
}

describeScaled(`KEDA ${kedaVersion} on Kubernetes ${kubernetesVersion}${because}`, () => {
  test("it takes the Agents of the chart, and has an autoscaler made for each", async () => {
    expect(scaled.map(({ metadata }) => metadata?.name)).toEqual(["hotels-agent", "flights-agent"]);
    const where = ["--namespace", namespace, "--timeout=120s"];
    await server.kubectl(["wait", "--for=condition=Ready", "scaledobject", "--all", ...where]);
    const [hotels, flights] = await Promise.all(
      ["hotels", "flights"].map((name) =>
        shown<IHorizontalPodAutoscaler>(`hpa/keda-hpa-${name}-agent`),
      ),
    );
    const target = (name: string) => ({ scaleTargetRef: { kind: "Deployment", name } });
    expect(hotels?.spec).toMatchObject({
      ...target("hotels-agent"),
      minReplicas: 1,
      maxReplicas: 7,
    });
    expect(flights?.spec).toMatchObject({
      ...target("flights-agent"),
      minReplicas: 2,
      maxReplicas: 9,
    });
    expect([hotels, flights].map(stepsOfPod)).toEqual([7.5, 75]);
  });

  test("an Agent that may have no pod gets one with the first step, more with each 7.5 steps up to its most, and fewer as they end", async () => {
    await hasPods("hotels-agent", 0);
    await hasPods("flights-agent", 2);
    series = exposed({ hotels: 1, beds: 0 }, 0);
    await hasPods("hotels-agent", 1);
    series = exposed({ hotels: 10, beds: 10 }, 5);
    await hasPods("hotels-agent", 4);
    series = exposed({ hotels: 300, beds: 30 }, 40);
    await hasPods("hotels-agent", 7);
    series = exposed({ hotels: 0, beds: 0 }, 20);
    await hasPods("hotels-agent", 3);
    await hasPods("flights-agent", 2);
  });

  test("without series it has as many pods as the chart says for outages, and none once nothing waits again", async () => {
    series = {};
    await hasPods("hotels-agent", 4);
    await hasPods("flights-agent", 4);
    // Five minutes, unless a ScaledObject says so.
    const soon = JSON.stringify({ spec: { cooldownPeriod: 1 } });
    const where = ["--namespace", namespace, "--type=merge", "--patch", soon];
    await server.kubectl(["patch", "scaledobject", "hotels-agent", ...where]);
    series = exposed({ hotels: 0, beds: 0 }, 0);
    await hasPods("hotels-agent", 0);
    await hasPods("flights-agent", 2);
  });
});
