import { parseConfig } from "@holdfast/runtime";
import { describe, expect, test } from "@jest/globals";
import type { ICluster } from "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster";
import type { IScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { agents } from "./broker-definitions.ts";
import { environmentFaults } from "./environment-faults.ts";
import { render, whyNotRendered } from "./kustomize.ts";
import {
  containerOf,
  environmentOf,
  isService,
  type Manifest,
  nameOf,
  ofKind,
  type Workload,
  workloadsOf,
} from "./manifest.ts";
import { openPorts } from "./open-ports.ts";
import { readFile } from "./repository.ts";
import { schemaFaults, unknownFields } from "./schema-faults.ts";
import { configOf } from "./service-config.ts";

const why = whyNotRendered();
const describeRendered = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

const folder = (name: string) => `infra/kubernetes/${name}`;
const base = folder("base");
const local = folder("overlays/local");
const production = folder("overlays/production");
const cloudNativePg = folder("examples/cloudnative-pg");
const rabbitmqOperator = folder("examples/rabbitmq-operator");
const tls = folder("examples/tls");
const tracing = folder("examples/tracing");
const access = folder("examples/access");
const supervisorCron = folder("examples/supervisor-cron");
const keda = folder("examples/keda");
const examples = [cloudNativePg, rabbitmqOperator, tls, tracing, access, supervisorCron, keda];
const complete = [local, production, tracing, access, supervisorCron, keda];

type ScaledObjects = readonly IScaledObject[];

interface Scaler {
  readonly spec: { readonly scaleTargetRef: { readonly name: string } };
}

/** Its operator has published no schema that could be asked. */
const hasSchema = ({ kind }: Manifest) => kind !== "RabbitmqCluster";

describeRendered.each([base, local, production, ...examples])(`%s${because}`, (name) => {
  const objects = why === null ? render(name) : [];

  test("has only objects that Kubernetes takes", async () => {
    const faults = await Promise.all(objects.filter(hasSchema).map(schemaFaults));
    expect(faults.flat()).toEqual([]);
  });

  test("has only fields that Kubernetes knows", () => {
    expect(unknownFields(objects.filter(hasSchema))).toEqual([]);
  });
});

describeRendered.each(complete)(`the pods of %s${because}`, (name) => {
  const objects = why === null ? render(name) : [];
  const workloads = workloadsOf(objects);
  const each = test.each(workloads.map((workload) => [nameOf(workload), workload] as const));

  each("%s gets only the variables that it reads, and all that it needs", async (_, workload) => {
    const [main = ""] = containerOf(workload).args ?? [];
    expect(await environmentFaults(main, environmentOf(workload, objects))).toEqual([]);
  });

  each("%s has no rights, and limits", (_, { spec, ...workload }) => {
    const { securityContext, automountServiceAccountToken } = spec.template.spec ?? {};
    const container = containerOf({ spec, ...workload });
    expect(automountServiceAccountToken).toBe(false);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.resources?.limits).toMatchObject({
      cpu: expect.any(String),
      memory: expect.any(String),
    });
  });

  test.each(ofDeployments(workloads))(
    "%s is killed later than its own grace period ends",
    async (_, workload) => {
      const { lifecycle, args = [] } = containerOf(workload);
      const config = parseConfig(await configOf(args[0] ?? ""), environmentOf(workload, objects));
      const { SHUTDOWN_GRACE } = config as { readonly SHUTDOWN_GRACE: number };
      const waiting = (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1_000;
      const { terminationGracePeriodSeconds = 30 } = workload.spec.template.spec ?? {};
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(waiting + SHUTDOWN_GRACE);
    },
  );

  test.each(ofDeployments(workloads))("%s is probed for life and readiness", (_, workload) => {
    expect(containerOf(workload)).toMatchObject({
      livenessProbe: { httpGet: { path: "/health/live" } },
      // Submission stays in its Service while Postgres is away: a 503 is better than a refused
      // connection.
      readinessProbe: {
        httpGet: { path: nameOf(workload) === "submission" ? "/health/live" : "/health/ready" },
      },
    });
  });

  each("%s runs the image that holds the modules and the program that it names", (_, workload) => {
    const { image = "", args = [] } = containerOf(workload);
    const settings = Object.values(environmentOf(workload, objects));
    const named = [...args, ...settings].some((path) => path.includes("examples/"));
    expect(image.includes("holdfast-orders-example")).toBe(named);
  });

  test("the customers' service has no operator routes, and the operators' service accepts no orders", () => {
    const [submission, operations] = ["submission", "operations"].map((wanted) =>
      workloads
        .filter((one) => nameOf(one) === wanted)
        .map((workload) => environmentOf(workload, objects)),
    );
    expect(submission).toMatchObject([{ ROLE: "tasks" }]);
    expect(submission?.[0]).not.toHaveProperty("OPERATOR_TOKEN");
    expect(operations).toMatchObject([{ ROLE: "operations" }]);
  });

  test.each(ofDeployments(workloads))("%s is scraped at its health port", (_, { spec }) => {
    expect(spec.template.metadata?.annotations).toMatchObject({
      "prometheus.io/scrape": "true",
      "prometheus.io/port": "9464",
      "prometheus.io/path": "/metrics",
    });
  });

  test("every network rule names its peers, and operators' routes are not open to all pods", () => {
    const policies = ofKind(objects, "NetworkPolicy") as readonly INetworkPolicy[];
    const open = policies.flatMap(({ metadata, spec }) => [
      ...(spec?.egress ?? []).filter(({ to = [] }) => to.length === 0).map(() => metadata?.name),
      ...(spec?.ingress ?? [])
        .filter(({ from = [] }) => from.length === 0)
        .map(() => metadata?.name),
    ]);
    expect(open).toEqual(["orders"]);
  });

  test.each(agents)("%s has a Deployment of its own, which runs it alone", (agent) => {
    const workload = workloads.find((one) => nameOf(one) === `${agent}-agent`);
    expect(workload && environmentOf(workload, objects)["AGENT_NAMES"]).toBe(agent);
  });

  test.each(agents)("%s cannot reach the state store", (agent) => {
    const workload = workloads.find((one) => nameOf(one) === `${agent}-agent`);
    const labels = workload?.spec.template.metadata?.labels ?? {};
    expect(openPorts(objects, labels)).toContain(5672);
    expect(openPorts(objects, labels)).not.toContain(5432);
  });

  test("every pod with a URL of the state store can reach it", () => {
    const holders = workloads.filter((one) => "STATE_STORE_URL" in environmentOf(one, objects));
    const closed = holders.filter(
      ({ spec }) => !openPorts(objects, spec.template.metadata?.labels ?? {}).includes(5432),
    );
    expect(holders.map(nameOf)).toEqual(
      expect.arrayContaining(["migrate", "scheduler", "submission", "supervisor"]),
    );
    expect(closed.map(nameOf)).toEqual([]);
  });

  test("a voluntary disruption removes one pod of a Deployment at a time", () => {
    const budgets = ofKind(objects, "PodDisruptionBudget").map(nameOf);
    expect(budgets.toSorted()).toEqual(
      ofDeployments(workloads)
        .map(([one]) => one)
        .toSorted(),
    );
  });
});

describeRendered.each([production, keda])(`in %s${because}`, (overlay) => {
  const objects = why === null ? render(overlay) : [];
  const workloads = workloadsOf(objects);
  const scaled = [
    ...(ofKind(objects, "HorizontalPodAutoscaler") as readonly Scaler[]),
    ...(ofKind(objects, "ScaledObject") as readonly Scaler[]),
  ].map(({ spec }) => spec.scaleTargetRef.name);

  test("every Deployment that grows with the load has one scaler, which alone says how many", () => {
    const deployments = ofDeployments(workloads).filter(
      ([name]) => !["supervisor", "operations", "console"].includes(name),
    );
    expect(scaled.toSorted()).toEqual(deployments.map(([name]) => name).toSorted());
    expect(deployments.filter(([, { spec }]) => spec.replicas !== undefined)).toEqual([]);
  });

  test("the manifests hold no secret, and the README lists each secret that is needed", () => {
    const readme = readFile("infra/README.md");
    const needed = workloads.flatMap((workload) =>
      (containerOf(workload).env ?? []).flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef === undefined ? [] : [valueFrom.secretKeyRef],
      ),
    );
    expect(ofKind(objects, "Secret")).toEqual([]);
    expect(needed.filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describeRendered(`with KEDA${because}`, () => {
  const scalers = (why === null ? ofKind(render(keda), "ScaledObject") : []) as ScaledObjects;

  test("Agents are scaled as well while Prometheus cannot be asked, or has no such series", () => {
    expect(scalers).toHaveLength(agents.length);
    expect(scalers.filter(({ spec }) => (spec.fallback?.replicas ?? 0) < 2)).toEqual([]);
    for (const { spec } of scalers) {
      expect(spec.triggers).toMatchObject([{ metadata: { ignoreNullValues: "false" } }]);
    }
  });

  test("Agents scale by the steps that wait for them and those in flight, and keep a quarter of their slots free", async () => {
    const own = scalers.map(({ spec }) => [spec.scaleTargetRef.name, spec.triggers[0]?.metadata]);
    const { CONCURRENCY } = parseConfig(await configOf("services/agent/dist/main.js"), {
      BROKER_URL: "amqp://user:9f2c4e0b@host/holdfast",
      AGENT_MODULES: "./agents.js",
    }) as { readonly CONCURRENCY: number };
    const expected = agents.map((agent) => [
      `${agent}-agent`,
      expect.objectContaining({ query: wantedSlots(agent), threshold: `${CONCURRENCY * 0.75}` }),
    ]);
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(expected));
  });
});

/** The slots that an Agent has use for. */
const wantedSlots = (agent: string): string =>
  `sum(max by (lane) (holdfast_due_steps{lane=~"${agent}"})) + sum(max by (agent) (holdfast_agent_in_flight_steps{agent="${agent}"}))`;

describeRendered(`what any cluster takes${because}`, () => {
  /** The groups that Kubernetes brings itself. */
  const builtIn = [
    "v1",
    "apps/v1",
    "batch/v1",
    "autoscaling/v2",
    "policy/v1",
    "networking.k8s.io/v1",
  ];
  const foreign = (name: string) =>
    (why === null ? render(name) : []).filter(({ apiVersion }) => !builtIn.includes(apiVersion));

  test.each([base, local, production, tls, tracing, access, supervisorCron])(
    "%s has only kinds that Kubernetes brings itself",
    (name) => {
      expect(foreign(name).map(({ kind }) => kind)).toEqual([]);
    },
  );

  test.each([keda, cloudNativePg, rabbitmqOperator])(
    "%s says in its first line whose kinds it needs",
    (name) => {
      const operators: Readonly<Record<string, RegExp>> = {
        ScaledObject: /KEDA/,
        Cluster: /CloudNativePG operator/,
        RabbitmqCluster: /cluster operator/,
      };
      const [first = ""] = readFile(`${name}/kustomization.yaml`).split("\napiVersion");
      expect(foreign(name).length).toBeGreaterThan(0);
      for (const { kind } of foreign(name)) expect(first).toMatch(operators[kind] ?? /^$/);
    },
  );
});

describeRendered.each(complete)(`the next release of %s${because}`, (name) => {
  const objects = why === null ? render(name) : [];

  test("changes nothing that Kubernetes lets no release change: no Job has a template of ours", () => {
    expect(ofKind(objects, "Job").map(nameOf)).toEqual([]);
  });

  test("runs its migration before anything waits for it, without a login in what goes on running", () => {
    const [migrate] = workloadsOf(objects).filter((one) => nameOf(one) === "migrate");
    if (migrate === undefined) throw new Error("There is no migration");
    const { initContainers = [], containers = [] } = migrate.spec.template.spec ?? {};
    expect(initContainers.at(-1)?.args).toEqual(["packages/state-store/dist/main.js"]);
    expect(containers.map(({ env, envFrom }) => ({ env, envFrom }))).toEqual([{}]);
    expect(migrate.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  });
});

describeRendered(`with CloudNativePG${because}`, () => {
  test("the logins have the roles that logins.sql gives them", () => {
    const [cluster] = (why === null ? render(cloudNativePg) : []) as readonly ICluster[];
    const logins = cluster?.spec.managed?.roles?.filter(({ login }) => login) ?? [];
    const grants = readFile("infra/postgres/logins.sql").matchAll(
      /\('(?!holdfast')(\w+)', :'\w+_password'\)/g,
    );
    const statistics = ["observer", ["holdfast_observer", "pg_read_all_stats"]] as const;
    expect(new Map(logins.map(({ name, inRoles }) => [name, inRoles]))).toEqual(
      new Map<string, readonly string[]>([
        ...[...grants].map(([, name = ""]) => [name, [`holdfast_${name}`]] as const),
        statistics,
      ]),
    );
    expect(logins).not.toHaveLength(0);
  });
});

function ofDeployments(workloads: readonly Workload[]) {
  return workloads.filter(isService).map((workload) => [nameOf(workload), workload] as const);
}
