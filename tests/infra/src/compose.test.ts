import { existsSync } from "node:fs";
import { parseConfig } from "@holdfast/runtime";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { composeFile, composeVariables, withSecrets } from "./compose-file.ts";
import { environmentFaults } from "./environment-faults.ts";
import { pathOf, readFile } from "./repository.ts";
import { configOf } from "./service-config.ts";

const { services } = composeFile();
const ours = Object.entries(services).filter(
  ([, { image, command }]) => image.startsWith("holdfast") && command !== undefined,
);
const scaled = ["scheduler", "supervisor", "agent"];

describe.each(ours)("%s", (_, { command = [], environment: given = {}, ...service }) => {
  const [main = ""] = command;
  const environment = withSecrets(given);

  test("gets all environment variables that it needs, and no others", async () => {
    expect(await environmentFaults(main, environment)).toEqual([]);
  });

  test("writes nothing into its image", () => {
    expect(service).toMatchObject({ read_only: true });
  });

  test("runs the image that holds the modules and the program that it names", () => {
    const named = [main, ...Object.values(environment)].some((path) => path.includes("examples/"));
    expect(service.image).toBe(named ? "holdfast-orders-example:local" : "holdfast:local");
  });

  test("is killed later than its own grace period ends", async () => {
    const { SHUTDOWN_GRACE } = parseConfig(await configOf(main), environment) as {
      readonly SHUTDOWN_GRACE: number;
    };
    const [, seconds] = /^(\d+)s$/.exec(service.stop_grace_period ?? "") ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(SHUTDOWN_GRACE);
  });
});

test.each(scaled)(
  "%s can be scaled: it has neither a port of the host nor a fixed name",
  (name) => {
    expect(services[name]).not.toHaveProperty("ports");
    expect(services[name]).not.toHaveProperty("container_name");
  },
);

/** What the servers' images need to hand their data to a user of their own. */
const ofServers = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"];

test.each(Object.entries(services))(
  "%s has no capability of the kernel, but for servers that begin as root, and gains none",
  (name, service) => {
    expect(service.cap_drop).toEqual(["ALL"]);
    expect(service.security_opt).toEqual(["no-new-privileges:true"]);
    expect(service.cap_add ?? []).toEqual(["postgres", "rabbitmq"].includes(name) ? ofServers : []);
  },
);

test.each(Object.entries(services))("%s has bounded memory and a bounded log", (_, service) => {
  expect(service.mem_limit).toMatch(/^\d+[mg]$/);
  expect(service.logging?.options).toEqual({ "max-size": "10m", "max-file": "3" });
});

test("the compose file holds no password, and passes each password to a service as a file", () => {
  const { secrets = { volumes: [] }, ...others } = services;
  const passed = Object.values(others).flatMap(({ environment = {} }) => Object.keys(environment));
  expect(passed.filter((name) => /PASSWORD$|TOKEN$|_URL$/.test(name))).toEqual([
    "API_URL",
    "PARTNERS_URL",
  ]);
  const readers = Object.values(others).flatMap(({ volumes = [] }) =>
    volumes.filter((volume) => volume.startsWith("secrets")).map((volume) => volume.split(":")[0]),
  );
  expect(readers).toEqual([...new Set(readers)]);
  const written = (secrets.volumes ?? [])
    .filter((volume) => volume.startsWith("secrets"))
    .map((volume) => volume.split(":")[0]);
  expect(new Set(written)).toEqual(new Set(["secrets", ...readers]));
});

test("published ports listen on this machine only, unless a variable says otherwise", () => {
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
});

test("Prometheus scrapes every service of ours, over a network without the servers", () => {
  const { scrape_configs: jobs } = parse(readFile("infra/observability/prometheus.yml")) as {
    readonly scrape_configs: readonly {
      readonly dns_sd_configs: readonly { readonly names: readonly string[] }[];
    }[];
  };
  const scraped = jobs.flatMap((job) => job.dns_sd_configs.flatMap(({ names }) => names));
  const running = ours.filter(([, { command }]) => command?.[0]?.startsWith("services/"));
  expect(scraped.toSorted()).toEqual(running.map(([name]) => name).toSorted());
  for (const [name] of running) expect(neighboursOf(name)).toContain("prometheus");
  for (const name of ["postgres", "rabbitmq", "partners"]) {
    expect(neighboursOf(name)).not.toContain("prometheus");
  }
});

/** Services that have a network in common with this one. */
const neighboursOf = (name: string): readonly string[] =>
  Object.entries(services)
    .filter(([other]) => other !== name)
    .filter(([, { networks = [] }]) =>
      networks.some((network) => services[name]?.networks?.includes(network)),
    )
    .map(([other]) => other)
    .toSorted();

test("Agents reach the broker, their remote services, and what collects metrics and traces, and nothing else", () => {
  expect(neighboursOf("agent")).toEqual(["partners", "prometheus", "rabbitmq", "tempo"]);
});

test.each(["prometheus", "tempo", "grafana"])(
  "%s starts with the profile observability only, and what it mounts is there",
  (name) => {
    const { profiles, volumes = [], networks } = services[name] ?? {};
    expect(profiles).toEqual(["observability"]);
    expect(networks?.filter((network) => !/^(agent-)?metrics$/.test(network))).toEqual([]);
    const mounted = volumes.flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? []);
    expect(mounted.length).toBeGreaterThan(0);
    expect(mounted.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
  },
);

test("the console reaches operations, and neither the state store nor the broker", () => {
  const { networks = [], environment = {}, volumes } = services["console"] ?? {};
  expect(new URL(environment["API_URL"] ?? "").hostname).toBe("operations");
  expect(services["operations"]?.networks).toEqual(expect.arrayContaining(["operators"]));
  expect(networks).toContain("operators");
  const servers = ["postgres", "rabbitmq"].flatMap((name) => services[name]?.networks ?? []);
  expect(networks.filter((name) => servers.includes(name))).toEqual([]);
  expect(volumes).toBeUndefined();
});

test("all services that make spans send them where one variable says, and the console links to a board that is there", () => {
  const senders = ours.filter(
    ([, { environment }]) => "OTEL_EXPORTER_OTLP_ENDPOINT" in (environment ?? {}),
  );
  const running = ours.filter(([, { command }]) => command?.[0]?.startsWith("services/"));
  expect(senders.map(([name]) => name).toSorted()).toEqual(
    running
      .map(([name]) => name)
      .filter((name) => name !== "console")
      .toSorted(),
  );
  const template = services["operations"]?.environment?.["TRACE_URL_TEMPLATE"] ?? "";
  const { uid, templating } = JSON.parse(
    readFile("infra/observability/grafana/boards/traces.json"),
  ) as {
    readonly uid: string;
    readonly templating: { readonly list: readonly { readonly name: string }[] };
  };
  const url = new URL(template);
  expect(url.pathname).toBe(`/d/${uid}`);
  expect([...url.searchParams]).toEqual(
    templating.list.map(({ name }) => [`var-${name}`, "{traceId}"]),
  );
});

test("Tempo listens where Grafana asks it and where services are to send their traces", () => {
  const tempo = parse(readFile("infra/observability/tempo.yml")) as {
    readonly server: { readonly http_listen_port: number };
    readonly distributor: {
      readonly receivers: {
        readonly otlp: { readonly protocols: { readonly http: { readonly endpoint: string } } };
      };
    };
  };
  const { datasources } = parse(
    readFile("infra/observability/grafana/provisioning/datasources/tempo.yml"),
  ) as { readonly datasources: readonly { readonly uid: string; readonly url: string }[] };
  expect(datasources).toMatchObject([
    { uid: "tempo", url: `http://tempo:${tempo.server.http_listen_port}` },
  ]);
  const [, port] = tempo.distributor.receivers.otlp.protocols.http.endpoint.split(":");
  expect(readFile("docker-compose.yml")).toContain(
    `OTEL_EXPORTER_OTLP_ENDPOINT=http://tempo:${port}`,
  );
});

test("the README says what can be set, with its default", () => {
  const rows = readFile("infra/README.md").matchAll(/^\| `([A-Z_]+)` +\| `([^`]+)` +\|/gm);
  expect(new Map([...rows].map(([, name, byDefault]) => [name, byDefault]))).toEqual(
    new Map(composeVariables()),
  );
});

test("a variable has the same default everywhere in the compose file", () => {
  const pairs = new Set(composeVariables().map((pair) => pair.join("=")));
  expect(pairs.size).toBe(new Map(composeVariables()).size);
});
