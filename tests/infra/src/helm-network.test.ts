import { expect, test } from "@jest/globals";
import type { IIngress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { environmentFaults } from "./environment-faults.ts";
import { describeChart, notes, rendered, shop } from "./example-chart.ts";
import {
  containerOf,
  environmentOf,
  isService,
  type Manifest,
  nameOf,
  ofKind,
  workloadsOf,
} from "./manifest.ts";
import { openPorts } from "./open-ports.ts";
import { schemaFaults } from "./schema-faults.ts";

const policyOf = (objects: readonly Manifest[], name: string) =>
  (ofKind(objects, "NetworkPolicy") as readonly INetworkPolicy[]).find(
    ({ metadata }) => metadata?.name === name,
  )?.spec;

const json = (name: string, value: unknown): readonly string[] => [
  "--set-json",
  `${name}=${JSON.stringify(value)}`,
];

/** An Agent that calls this URL. */
const calling = (url: string): readonly string[] =>
  json("agents", [{ name: "hotels", env: { HOTELS_URL: url } }]);

describeChart("the network of the chart", () => {
  test("without values, services reach Postgres and RabbitMQ wherever they are, on their ports", () => {
    const objects = rendered([]);
    expect(policyOf(objects, "state-store")?.egress).toEqual([
      { ports: [{ protocol: "TCP", port: 5432 }] },
    ]);
    expect(policyOf(objects, "broker")?.egress).toEqual([
      {
        ports: [
          { protocol: "TCP", port: 5671 },
          { protocol: "TCP", port: 5672 },
        ],
      },
    ]);
    expect(openPorts(rendered(calling("https://a.example")), agentLabels)).not.toContain(5432);
  });

  test("servers on other ports are reached on those", () => {
    const objects = rendered([
      "--set",
      "network.ports.stateStore={6432},network.ports.broker={30671},network.ports.management={443},topology.enabled=true",
    ]);
    const ports = (name: string) =>
      policyOf(objects, name)?.egress?.[0]?.ports?.map((one) => one.port);
    expect([ports("state-store"), ports("broker"), ports("topology")]).toEqual([
      [6432],
      [30_671],
      [443],
    ]);
  });

  test.each([
    [
      "http://hotels:8080/v1",
      /HOTELS_URL of the Agent hotels \(http:\/\/hotels:8080\).* Add 8080 to network\.ports\.remoteServices/,
    ],
    ["http://hotels.example", /Add 80 to/],
    ["https://hotels.travel.svc/v1", /reach public addresses only.*network\.remoteServices/],
    ["https://hotels.travel.svc.cluster.local", /public addresses only/],
    ["https://hotels", /public addresses only/],
    ["https://10.20.0.7/v1", /public addresses only/],
    ["https://172.31.255.1", /public addresses only/],
    ["https://[fd00::7]", /public addresses only/],
  ])(
    "an Agent that calls %s is refused when it is rendered, and would time out otherwise",
    (url, words) => {
      expect(() => rendered(calling(url))).toThrow(words);
    },
  );

  test.each([
    ["https://hotels.example.com", []],
    ["https://172.32.0.1", []],
    [
      "https://hotels.travel.svc",
      json("network.remoteServices", [
        { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "travel" } } },
      ]),
    ],
    ["https://10.20.0.7", json("network.remoteServices", [{ ipBlock: { cidr: "10.20.0.0/16" } }])],
    ["http://hotels.example:8080", ["--set", "network.ports.remoteServices={443,8080}"]],
    ["http://hotels", ["--set", "network.enabled=false"]],
    ["http://hotels.example", ["--set", "network.notCalled={HOTELS_URL}"]],
    ["amqp://elsewhere", []],
  ])("an Agent that calls %s is rendered where the values %j let it", async (url, values) => {
    const objects = rendered([...calling(url), ...values]);
    expect((await Promise.all(objects.map(schemaFaults))).flat()).toEqual([]);
  });

  test("a proxy that Agents cannot reach is refused, too", () => {
    const proxy = json("extraEnv", [{ name: "HTTPS_PROXY", value: "http://proxy.example:3128" }]);
    expect(() => rendered([...calling("https://a.example"), ...proxy])).toThrow(
      /HTTPS_PROXY.*3128/,
    );
  });

  test.each(["console", "operations"])(
    "an ingress to the %s is refused until the values say whose pods lead to it",
    (name) => {
      const outside = json(`${name}.ingress`, { enabled: true, hosts: ["x.example"] });
      expect(() => rendered(outside)).toThrow(/network\.operators/);
      const peer = { namespaceSelector: { matchLabels: { name: "ingress" } } };
      const objects = rendered([...outside, ...json("network.operators", [peer])]);
      expect(policyOf(objects, name)?.ingress?.[0]?.from).toContainEqual(peer);
    },
  );

  test("an ingress and a route lead to the port of the Service", async () => {
    const objects = rendered([
      ...json("submission.ingress", {
        enabled: true,
        className: "nginx",
        annotations: { a: "b" },
        hosts: ["orders.example", "shop.example"],
        path: "/v1",
        tls: [{ secretName: "orders-tls", hosts: ["orders.example"] }],
      }),
      ...json("submission.httpRoute", {
        enabled: true,
        parentRefs: [{ name: "gateway", namespace: "edge" }],
        hostnames: ["orders.example"],
      }),
      ...json("submission.service", { port: 8080, annotations: { c: "d" } }),
    ]);
    const [ingress] = ofKind(objects, "Ingress") as readonly IIngress[];
    expect(ingress?.spec?.rules?.map(({ host }) => host)).toEqual([
      "orders.example",
      "shop.example",
    ]);
    expect(ingress).toMatchObject({
      metadata: { annotations: { a: "b" } },
      spec: { ingressClassName: "nginx", tls: [{ secretName: "orders-tls" }] },
    });
    expect(ofKind(objects, "HTTPRoute")).toMatchObject([
      {
        spec: {
          parentRefs: [{ name: "gateway", namespace: "edge" }],
          rules: [{ backendRefs: [{ name: "submission", port: 8080 }] }],
        },
      },
    ]);
    const known = objects.filter(({ kind }) => kind !== "HTTPRoute");
    expect((await Promise.all(known.map(schemaFaults))).flat()).toEqual([]);
  });

  test("a Service of both families, or on another port, is what the console asks", () => {
    const objects = rendered([
      "--set",
      "service.ipFamilyPolicy=PreferDualStack,operations.service.port=8080",
    ]);
    expect(ofKind(objects, "Service").map(({ spec }) => spec)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ ipFamilyPolicy: "PreferDualStack" }),
      ),
    );
    const console = workloadsOf(objects).find((one) => nameOf(one) === "console");
    expect(console && environmentOf(console, objects)["API_URL"]).toBe("http://operations:8080");
  });

  test("with an address to listen on, each service gets it for what it serves", async () => {
    const objects = rendered([...shop, "--set", "listen=fd00::1"]);
    for (const one of workloadsOf(objects).filter(isService)) {
      const environment = environmentOf(one, objects);
      const serves = containerOf(one).ports?.some(({ name }) => name === "http");
      expect([nameOf(one), environment["HEALTH_HOST"], environment["HTTP_HOST"]]).toEqual([
        nameOf(one),
        "fd00::1",
        serves === true ? "fd00::1" : undefined,
      ]);
      const [main = ""] = containerOf(one).args ?? [];
      expect(await environmentFaults(main, environment)).toEqual([]);
    }
  });
});

const agentLabels = {
  "app.kubernetes.io/part-of": "holdfast",
  "app.kubernetes.io/component": "agent",
};

describeChart("the notes after an install", () => {
  test("say three commands, with the namespace of the release and names that are there", () => {
    const text = notes(shop);
    const commands = [...text.matchAll(/^ +(kubectl .*)$/gm)].map(([, command]) => command);
    expect(commands).toHaveLength(3);
    const objects = rendered(shop);
    for (const command of commands) {
      expect(command).toContain("kubectl --namespace shop ");
      for (const [, kind, name = ""] of command?.matchAll(/\b(deployment|service)\/([a-z-]+)/g) ??
        []) {
        const found = ofKind(objects, kind === "service" ? "Service" : "Deployment");
        expect(found.map(nameOf)).toContain(name);
      }
    }
  });

  test("say what the network policies cut off, and what values would change that", () => {
    const text = notes([]);
    expect(text).toMatch(
      /Agents reach public addresses, and no pod and no private network, on port 443/,
    );
    expect(text).toMatch(/Postgres on port 5432 of any address: name yours in network\.stateStore/);
    expect(text).toMatch(
      /RabbitMQ on port 5671, 5672 of any address: name yours in network\.broker/,
    );
    expect(notes(["--set", "network.enabled=false"])).toMatch(/no network policies/);
  });

  test("say what is missing: Agents, and whose addresses a proxy passes on", () => {
    expect(notes([])).toMatch(/No Agent is named/);
    expect(notes(shop)).not.toMatch(/No Agent is named|TRUSTED_PROXIES/);
    const outside = ["--set", "submission.ingress.enabled=true"];
    expect(notes([...shop, ...outside])).toMatch(/submissionEnv\.TRUSTED_PROXIES/);
    expect(
      notes([...shop, ...outside, "--set", "submissionEnv.TRUSTED_PROXIES=uniquelocal"]),
    ).not.toMatch(/TRUSTED_PROXIES/);
  });
});
