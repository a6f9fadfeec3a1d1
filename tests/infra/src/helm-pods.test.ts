import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import type { IPodTemplateSpec } from "kubernetes-models/v1/PodTemplateSpec";
import { describeChart, rendered, shop } from "./example-chart.ts";
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
import { readFile } from "./repository.ts";
import { schemaFaults, unknownFields } from "./schema-faults.ts";

/** The objects with these values, each given as JSON. */
const withValues = (values: Readonly<Record<string, unknown>>, base = shop): readonly Manifest[] =>
  rendered([
    ...base,
    ...Object.entries(values).flatMap(([name, value]) => [
      "--set-json",
      `${name}=${JSON.stringify(value)}`,
    ]),
  ]);

const podOf = ({ spec }: Workload): NonNullable<IPodTemplateSpec["spec"]> => {
  const pod = spec.template.spec;
  if (pod === undefined) throw new Error("There is no pod");
  return pod;
};

const named = (objects: readonly Manifest[], name: string): Workload => {
  const found = workloadsOf(objects).find((one) => nameOf(one) === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
};

/** What a cluster may ask of each pod, and where it stands in the pod. */
const settings: Readonly<
  Record<string, readonly [value: unknown, at: (one: Workload) => unknown]>
> = {
  imagePullSecrets: [[{ name: "registry" }], (one) => podOf(one).imagePullSecrets],
  serviceAccountName: ["given", (one) => podOf(one).serviceAccountName],
  nodeSelector: [{ disk: "ssd" }, (one) => podOf(one).nodeSelector],
  tolerations: [[{ key: "only", operator: "Exists" }], (one) => podOf(one).tolerations],
  affinity: [
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "arch", operator: "Exists" }] }],
        },
      },
    },
    (one) => podOf(one).affinity,
  ],
  priorityClassName: ["high", (one) => podOf(one).priorityClassName],
  runtimeClassName: ["gvisor", (one) => podOf(one).runtimeClassName],
  dnsPolicy: ["Default", (one) => podOf(one).dnsPolicy],
  dnsConfig: [{ options: [{ name: "ndots", value: "2" }] }, (one) => podOf(one).dnsConfig],
  hostAliases: [[{ ip: "10.0.0.1", hostnames: ["db"] }], (one) => podOf(one).hostAliases],
  podSecurityContext: [{ fsGroup: 7 }, (one) => ({ fsGroup: podOf(one).securityContext?.fsGroup })],
  containerSecurityContext: [
    { readOnlyRootFilesystem: false },
    (one) => ({
      readOnlyRootFilesystem: containerOf(one).securityContext?.readOnlyRootFilesystem,
    }),
  ],
  resources: [
    { requests: { cpu: "3", memory: "192Mi" }, limits: { cpu: "1500m", memory: "512Mi" } },
    (one) => containerOf(one).resources,
  ],
  podAnnotations: [{ of: "ours" }, (one) => ({ of: annotationsOf(one)["of"] })],
  podLabels: [{ team: "shop" }, (one) => ({ team: one.spec.template.metadata?.labels?.["team"] })],
  extraEnv: [
    [{ name: "HTTPS_PROXY", value: "https://proxy.example" }],
    (one) => containerOf(one).env?.filter(({ name }) => name === "HTTPS_PROXY"),
  ],
  extraEnvFrom: [
    [{ configMapRef: { name: "more" } }],
    (one) => containerOf(one).envFrom?.filter(({ configMapRef }) => configMapRef?.name === "more"),
  ],
  extraVolumes: [
    [{ name: "scratch", emptyDir: {} }],
    (one) => podOf(one).volumes?.filter(({ name }) => name === "scratch"),
  ],
  extraVolumeMounts: [
    [{ name: "scratch", mountPath: "/scratch" }],
    (one) => containerOf(one).volumeMounts?.filter(({ name }) => name === "scratch"),
  ],
  extraInitContainers: [[{ name: "before", image: "x:1" }], (one) => podOf(one).initContainers],
  extraContainers: [
    [{ name: "beside", image: "x:1" }],
    (one) => podOf(one).containers.filter(({ name }) => name === "beside"),
  ],
};

/** Settings of pods that run for ever. */
const ofServices: typeof settings = {
  terminationGracePeriodSeconds: [90, (one) => podOf(one).terminationGracePeriodSeconds],
  topologySpreadConstraints: [
    [{ topologyKey: "zone", maxSkew: 2, whenUnsatisfiable: "DoNotSchedule" }],
    (one) => podOf(one).topologySpreadConstraints,
  ],
};

/** The value of each of them, by its name in the values. */
const valuesOf = (given: typeof settings, prefix = ""): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(given).map(([name, [value]]) => [`${prefix}${name}`, value]));

const annotationsOf = ({ spec }: Workload): Readonly<Record<string, string>> =>
  spec.template.metadata?.annotations ?? {};

/** The sections of the values with the settings of one workload. */
const sections: Readonly<Record<string, string>> = {
  submission: "submission",
  operations: "operations",
  console: "console",
  scheduler: "scheduler",
  supervisor: "supervisor",
  migrate: "migrate",
  topology: "topology",
  "inventory-agent": "agents[0]",
};

const isJob = (name: string): boolean => name === "migrate" || name === "topology";

describeChart("the pods of the chart", () => {
  const forAll = withValues(valuesOf(settings));

  test.each(Object.entries(settings))("%s is for all of them", (name, [value, at]) => {
    const workloads = workloadsOf(forAll);
    expect(workloads.length).toBeGreaterThan(10);
    for (const one of workloads) expect([nameOf(one), at(one)]).toEqual([nameOf(one), value]);
  });

  test.each(Object.entries(sections))("each setting of %s is for it alone", (workload, section) => {
    const own = isJob(workload) ? settings : { ...settings, ...ofServices };
    const workloads = workloadsOf(withValues(valuesOf(own, `${section}.`)));
    for (const [name, [value, at]] of Object.entries(own)) {
      const having = workloads.filter((one) => isDeepStrictEqual(at(one), value));
      expect([name, having.map(nameOf)]).toEqual([name, [workload]]);
    }
  });

  test("what is said of all Agents holds for each, and for nothing else", () => {
    const workloads = workloadsOf(withValues({ "agent.nodeSelector": { pool: "agents" } }));
    const having = workloads.filter((one) => podOf(one).nodeSelector !== undefined).map(nameOf);
    expect(having.length).toBeGreaterThan(2);
    expect(having.filter((name) => !name.endsWith("-agent"))).toEqual([]);
  });

  test("every section takes every setting", () => {
    const { properties } = JSON.parse(readFile("infra/helm/holdfast/values.schema.json")) as {
      readonly properties: Readonly<Record<string, Section>>;
    };
    const known = [...Object.keys(settings), ...Object.keys(ofServices)];
    const all = [
      { properties },
      ...[...new Set(Object.values(sections)), "agent"]
        .filter((name) => name in properties)
        .map((name) => properties[name]),
      properties["agents"]?.items,
    ];
    expect(all).toHaveLength(10);
    for (const section of all) {
      expect(Object.keys(section?.properties ?? {})).toEqual(expect.arrayContaining(known));
    }
  });

  test("parts of a map are laid over those of all, and null removes one", () => {
    const objects = withValues({
      "scheduler.resources": { requests: { cpu: "2" } },
      "scheduler.podSecurityContext": { runAsUser: null },
    });
    const scheduler = named(objects, "scheduler");
    expect(containerOf(scheduler).resources).toEqual({
      requests: { cpu: "2", memory: "192Mi" },
      limits: { cpu: "1500m", memory: "512Mi" },
    });
    expect(podOf(scheduler).securityContext).not.toHaveProperty("runAsUser");
    expect(podOf(scheduler).securityContext).toHaveProperty("fsGroup", 1000);
  });

  test.each([
    ["openshift=true", { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }],
    ["podSecurityContext=null", undefined],
  ])(
    "with %s no pod has a user or a group of its own, which OpenShift assigns",
    (value, context) => {
      for (const one of workloadsOf(rendered([...shop, "--set", value]))) {
        expect([nameOf(one), podOf(one).securityContext]).toEqual([nameOf(one), context]);
      }
    },
  );

  test("a variable of your own wins over one of the chart, and no name is there twice", () => {
    const objects = withValues({
      extraEnv: [{ name: "LOG_LEVEL", value: "debug" }],
      "scheduler.extraEnv": [{ name: "LOG_LEVEL", value: "trace" }],
    });
    for (const one of workloadsOf(objects)) {
      const names = (containerOf(one).env ?? []).map(({ name }) => name);
      expect([nameOf(one), names]).toEqual([nameOf(one), [...new Set(names)]]);
      const level = containerOf(one).env?.find(({ name }) => name === "LOG_LEVEL");
      expect(level?.value).toBe(nameOf(one) === "scheduler" ? "trace" : "debug");
    }
  });

  test("a certificate of your own is trusted by all, as in examples/tls", () => {
    const objects = withValues({ ca: { secret: "servers-ca" } });
    const expected = render("infra/kubernetes/examples/tls");
    for (const one of workloadsOf(expected)) {
      const ours = named(objects, nameOf(one));
      expect(containerOf(ours).volumeMounts).toEqual(containerOf(one).volumeMounts);
      expect(environmentOf(ours, objects)["NODE_EXTRA_CA_CERTS"]).toBe("/etc/holdfast/ca/ca.crt");
    }
    const [volume] = podOf(named(objects, "scheduler")).volumes ?? [];
    expect(volume?.secret).toEqual({
      secretName: "servers-ca",
      items: [{ key: "ca.crt", path: "ca.crt" }],
    });
  });

  test("who is who is known to submission and operations alone, as in examples/access", () => {
    const objects = withValues({ access: { configMap: "access" } });
    const expected = render("infra/kubernetes/examples/access");
    const knowing = (all: readonly Manifest[]) =>
      workloadsOf(all).flatMap((one) => {
        const { env = [], volumeMounts } = containerOf(one);
        const file = env.find(({ name }) => name === "ACCESS_FILE")?.value;
        const { volumes } = podOf(one);
        return file === undefined ? [] : [{ name: nameOf(one), file, volumeMounts, volumes }];
      });
    const known = knowing(objects);
    expect(known.map(({ name }) => name)).toEqual(["submission", "operations"]);
    expect(knowing(expected)).toHaveLength(2);
    expect(knowing(expected)).toEqual(expect.arrayContaining([...known]));
    const policy = (all: readonly Manifest[]) =>
      ofKind(all, "NetworkPolicy").find((one) => nameOf(one) === "issuers")?.spec;
    expect(policy(objects)).toEqual(policy(expected));
    const secret = withValues({ access: { secret: "who", key: "people.json" } });
    expect(podOf(named(secret, "operations")).volumes).toMatchObject([
      { secret: { secretName: "who", items: [{ key: "people.json", path: "access.yaml" }] } },
    ]);
  });

  test("accounts that the chart makes are used by what runs, and by no hook, which comes before them", () => {
    const objects = withValues({
      serviceAccount: { create: true, annotations: { role: "all" } },
      "scheduler.serviceAccount": { create: true, annotations: { role: "own" } },
    });
    const accounts = ofKind(objects, "ServiceAccount").map(({ metadata }) => metadata);
    expect(accounts).toMatchObject([
      { name: "scheduler", annotations: { role: "own" } },
      { name: "holdfast", annotations: { role: "all" } },
    ]);
    const used = workloadsOf(objects).map((one) => [nameOf(one), podOf(one).serviceAccountName]);
    const expected = workloadsOf(objects).map((one) => {
      const name = nameOf(one);
      if (isJob(name)) return [name, undefined];
      return [name, name === "scheduler" ? "scheduler" : "holdfast"];
    });
    expect(used).toEqual(expected);
  });

  test("a Supervisor that the platform starts takes the settings as well", () => {
    const objects = withValues({
      supervisorSchedule: "* * * * *",
      "supervisor.nodeSelector": { disk: "ssd" },
      "supervisor.serviceAccount": { create: true },
    });
    expect(podOf(named(objects, "supervisor"))).toMatchObject({
      nodeSelector: { disk: "ssd" },
      serviceAccountName: "supervisor",
    });
    expect(ofKind(objects, "ServiceAccount").map(nameOf)).toEqual(["supervisor"]);
  });

  test("labels and annotations for all are on every object, and change no selector", () => {
    const plain = withValues({});
    const objects = withValues({
      commonLabels: { team: "shop", "app.kubernetes.io/name": "mine" },
      commonAnnotations: { owner: "ann" },
    });
    const metadata = objects.map((one) => one.metadata as Metadata);
    expect(metadata.filter(({ labels }) => labels?.["team"] !== "shop")).toEqual([]);
    expect(metadata.filter(({ annotations }) => annotations?.["owner"] !== "ann")).toEqual([]);
    const selectors = (all: readonly Manifest[]) =>
      ofKind(all, "Deployment").map(
        ({ spec }) => (spec as { readonly selector: unknown }).selector,
      );
    expect(selectors(objects)).toEqual(selectors(plain));
  });

  test("with all values at once it has only objects and fields that Kubernetes knows", async () => {
    const objects = withValues({
      ...valuesOf({ ...settings, ...ofServices }),
      ca: { configMap: "authority", key: "root.pem" },
      listen: "::",
      "submission.ingress": {
        enabled: true,
        hosts: ["orders.example"],
        tls: [{ secretName: "x" }],
      },
      service: { type: "LoadBalancer", ipFamilyPolicy: "PreferDualStack", annotations: { a: "b" } },
    });
    expect((await Promise.all(objects.map(schemaFaults))).flat()).toEqual([]);
    expect(unknownFields(objects)).toEqual([]);
  });

  test.each([
    ["resources.schedulr.requests.cpu=1", /schedulr/],
    ["resources.requests.cpus=1", /cpus/],
    ["scheduler.resources.requests.memory=lots", /memory/],
    ["podSecurityContext.runAsUsr=1", /runAsUsr/],
    ["containerSecurityContext.priviledged=true", /priviledged/],
    ["tolerations[0].keyy=a", /keyy/],
    ["imagePullSecrets[0].nme=a", /nme/],
    ["affinity.podAfinity.x=1", /podAfinity/],
    ["extraEnv[0].nam=a", /nam/],
    ["extraEnv[0].name=two words", /extraEnv/],
    ["agents[0].name=a,agents[0].tolerations[0].efect=NoSchedule", /efect/],
    ["submission.ingress.enabeld=true", /enabeld/],
    ["submission.nodeSelectr.a=b", /nodeSelectr/],
    ["network.stateStore[0].ipBlok.cidr=10.0.0.0/8", /ipBlok/],
    ["keda.treshold=3", /treshold/],
    ["listen=everywhere", /listen/],
  ])("%s is refused by name", (value, words) => {
    expect(() => rendered(["--set", value])).toThrow(words);
  });
});

interface Section {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: Section;
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
