import { expect, test } from "@jest/globals";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import { parse } from "yaml";
import { listedUsers } from "./broker-definitions.ts";
import { environmentFaults } from "./environment-faults.ts";
import { describeChart, lint, rendered, shop } from "./example-chart.ts";
import { render } from "./kustomize.ts";
import {
  containerOf,
  environmentOf,
  type Manifest,
  nameOf,
  ofKind,
  type Workload,
  workloadsOf,
} from "./manifest.ts";
import { openPorts } from "./open-ports.ts";
import { readFile } from "./repository.ts";
import { schemaFaults, unknownFields } from "./schema-faults.ts";

describeChart("the chart with the values of the example", () => {
  const objects = rendered(shop);
  const workloads = workloadsOf(objects);
  const each = test.each(workloads.map((workload) => [nameOf(workload), workload] as const));

  test("has only objects and fields that Kubernetes knows", async () => {
    const faults = await Promise.all(objects.map(schemaFaults));
    expect(faults.flat()).toEqual([]);
    expect(unknownFields(objects)).toEqual([]);
  });

  test("helm lint finds nothing", () => {
    expect(lint(shop)).toBe("");
  });

  each("%s gets only the variables that it reads, and all that it needs", async (_, workload) => {
    const [main = ""] = containerOf(workload).args ?? [];
    if (main.includes("packages/cli")) return;
    expect(await environmentFaults(main, environmentOf(workload, objects))).toEqual([]);
  });

  test("has the workloads of overlays/production, each the same", () => {
    const production = render("infra/kubernetes/overlays/production");
    const known = new Map(workloads.map((one) => [nameOf(one), one]));
    const expected = workloadsOf(production);
    expect(expected.length).toBeGreaterThan(8);
    for (const one of expected) {
      const ours = known.get(nameOf(one));
      if (ours === undefined) throw new Error(`The chart has no ${nameOf(one)}`);
      const compared = nameOf(one) === "migrate" ? essenceOfMigration : essence;
      expect([nameOf(one), compared(ours, objects)]).toEqual([
        nameOf(one),
        compared(one, production),
      ]);
    }
    expect([...known.keys()].toSorted()).toEqual([...expected.map(nameOf), "topology"].toSorted());
  });

  test("has the network policies of overlays/production, and one for the topology", () => {
    const policies = (all: readonly Manifest[]) =>
      new Map(
        (ofKind(all, "NetworkPolicy") as readonly INetworkPolicy[]).map((one) => [
          one.metadata?.name,
          one.spec,
        ]),
      );
    const ours = policies(objects);
    const topology = ours.get("topology");
    ours.delete("topology");
    expect(ours).toEqual(policies(render("infra/kubernetes/overlays/production")));
    expect(topology).toMatchObject({ policyTypes: ["Egress"] });
  });

  test("has a disruption budget for each Deployment, and no secret", () => {
    const deployments = ofKind(objects, "Deployment").map(nameOf);
    expect(ofKind(objects, "PodDisruptionBudget").map(nameOf).toSorted()).toEqual(
      deployments.toSorted(),
    );
    expect(ofKind(objects, "Secret")).toEqual([]);
  });

  test("the list of broker users has each Agent of the chart by itself", () => {
    const [list] = ofKind(objects, "ConfigMap") as readonly IConfigMap[];
    const users = parse(list?.data?.["users.yaml"] ?? "") as Readonly<Record<string, string>>;
    expect(users).toEqual(listedUsers);
    const ports = openPorts(objects, labelsOf(workloads, "topology"));
    expect(ports).toContain(15672);
  });
});

const labelsOf = (workloads: readonly Workload[], name: string): Readonly<Record<string, string>> =>
  workloads.find((one) => nameOf(one) === name)?.spec.template.metadata?.labels ?? {};

/** What makes two workloads the same: where their settings come from is no difference. */
function essence(workload: Workload, objects: readonly Manifest[]) {
  const {
    args,
    image,
    ports,
    livenessProbe,
    readinessProbe,
    lifecycle,
    resources,
    securityContext,
  } = containerOf(workload);
  const { containers: _, volumes: __, restartPolicy, ...pod } = workload.spec.template.spec ?? {};
  return {
    container: {
      args,
      image,
      ports,
      livenessProbe,
      readinessProbe,
      lifecycle,
      resources,
      securityContext,
    },
    env: environmentOf(workload, objects),
    labels: workload.spec.template.metadata?.labels,
    annotations: workload.spec.template.metadata?.annotations,
    restartPolicy,
    pod,
    replicas: workload.spec.replicas,
  };
}

/**
 * Helm runs the migration as a hook, which is deleted before the next one; Kustomize in a
 * Deployment, which may change.
 */
function essenceOfMigration(workload: Workload, objects: readonly Manifest[]) {
  const { container, env } = essence(workload, objects);
  return { container, env, securityContext: workload.spec.template.spec?.securityContext };
}

describeChart("the chart with values of your own", () => {
  test("has no Agent and no workflow, unless values name them", () => {
    const workloads = workloadsOf(rendered([]));
    expect(workloads.map(nameOf).toSorted()).toEqual([
      "console",
      "migrate",
      "operations",
      "scheduler",
      "submission",
      "supervisor",
    ]);
  });

  test("an Agent is one line, with a Deployment and a Secret of its own", async () => {
    const values = [
      "--set",
      "agentModules=./examples/orders/handlers/dist/index.js",
      "--set",
      "agents[0].name=hotels",
    ];
    const objects = rendered([...values, "--set", "agentEnv.PARTNERS_URL=https://x.example"]);
    const hotels = workloadsOf(objects).find((one) => nameOf(one) === "hotels-agent");
    if (hotels === undefined) throw new Error("There is no hotels-agent");
    const environment = environmentOf(hotels, objects);
    expect(environment["AGENT_NAMES"]).toBe("hotels");
    expect(await environmentFaults("services/agent/dist/main.js", environment)).toEqual([]);
    const url = containerOf(hotels).env?.find(({ name }) => name === "BROKER_URL");
    expect(url?.valueFrom?.secretKeyRef).toEqual({ name: "hotels-agent", key: "BROKER_URL" });
    expect(openPorts(objects, labelsOf([hotels], "hotels-agent"))).not.toContain(5432);
  });

  test("an Agent in another language has an image and a command of its own, and no probe of ours", async () => {
    const badges = `agents[0]={"name":"badges","image":"badges:1","command":["python3","badges_agent.py"]}`;
    const objects = rendered(["--set-json", badges]);
    const agent = workloadsOf(objects).find((one) => nameOf(one) === "badges-agent");
    if (agent === undefined) throw new Error("There is no badges-agent");
    const { image, command, args, livenessProbe } = containerOf(agent);
    expect({ image, command, args, livenessProbe }).toEqual({
      image: "badges:1",
      command: ["python3", "badges_agent.py"],
      args: undefined,
      livenessProbe: undefined,
    });
    expect((await Promise.all(objects.map(schemaFaults))).flat()).toEqual([]);
  });

  test("the values of the guide render, with a broker user for each Agent", async () => {
    const [, values = ""] =
      /^```yaml\n([\s\S]*?)^```$/m.exec(readFile("docs/guides/deploy.md")) ?? [];
    const digest = `sha256:${"a".repeat(64)}`;
    const all = parse(values.replace("sha256:…", digest)) as Readonly<Record<string, unknown>>;
    const objects = rendered(
      Object.entries(all).flatMap(([name, value]) => [
        "--set-json",
        `${name}=${JSON.stringify(value)}`,
      ]),
    );
    expect((await Promise.all(objects.map(schemaFaults))).flat()).toEqual([]);
    const [list] = ofKind(objects, "ConfigMap") as readonly IConfigMap[];
    const users = parse(list?.data?.["users.yaml"] ?? "") as object;
    expect(users).toMatchObject({ hotels: "agent", flights: "agent", badges: "agent" });
  });

  test("0 instances of a service are none, and not one", () => {
    const values = ["consoleReplicas=0", "operationsReplicas=0", "supervisorReplicas=0"];
    const workloads = workloadsOf(rendered(values.flatMap((value) => ["--set", value])));
    const replicas = new Map(workloads.map((one) => [nameOf(one), one.spec.replicas]));
    expect(["console", "operations", "supervisor"].map((name) => replicas.get(name))).toEqual([
      0, 0, 0,
    ]);
  });

  test.each([
    ["a misspelt value", ["--set", "submision.min=3"], /submision/],
    ["a name that is no Agent's", ["--set", "agents[0].name=My_Agent"], /agents/],
    ["a collector without a scheme", ["--set", "tracing.endpoint=collector:4318"], /endpoint/],
    ["a template without an id", ["--set", "tracing.urlTemplate=https://x/trace"], /urlTemplate/],
    ["a digest that is none", ["--set", "image.digest=latest"], /digest/],
  ])("%s is refused", (_, values, words) => {
    expect(() => rendered(values)).toThrow(words);
  });

  test("a PodMonitor takes the place of the annotations where values ask for it", () => {
    const values = [
      "metrics.annotations=false",
      "metrics.podMonitor.enabled=true",
      "metrics.podMonitor.labels.release=prometheus",
    ];
    const objects = rendered(values.flatMap((value) => ["--set", value]));
    expect(ofKind(objects, "PodMonitor")).toMatchObject([
      {
        metadata: { labels: { release: "prometheus" } },
        spec: { podMetricsEndpoints: [{ port: "health", path: "/metrics", interval: "15s" }] },
      },
    ]);
    const annotated = workloadsOf(objects).map(
      ({ spec }) => spec.template.metadata?.annotations ?? {},
    );
    expect(annotated.filter((one) => "prometheus.io/scrape" in one)).toEqual([]);
    expect(ofKind(rendered([]), "PodMonitor")).toEqual([]);
  });

  test("a digest pins the image", () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const [scheduler] = workloadsOf(rendered(["--set", `image.digest=${digest}`])).filter(
      (one) => nameOf(one) === "scheduler",
    );
    expect(scheduler && containerOf(scheduler).image).toBe(`holdfast@${digest}`);
  });
});
