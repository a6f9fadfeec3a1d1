import { expect, test } from "@jest/globals";
import { environmentFaults } from "./environment-faults.ts";
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
import { openPorts } from "./open-ports.ts";
import { schemaFaults } from "./schema-faults.ts";

const labelsOf = (workloads: readonly Workload[], name: string): Readonly<Record<string, string>> =>
  workloads.find((one) => nameOf(one) === name)?.spec.template.metadata?.labels ?? {};

describeChart("the chart with tracing", () => {
  test("with tracing, the chart has the workloads and policies of examples/tracing", () => {
    const objects = rendered([
      ...shop,
      "--set",
      "tracing.endpoint=http://opentelemetry-collector.observability:4318",
      "--set",
      "tracing.headersSecret=tracing",
      "--set",
      "tracing.urlTemplate=https://grafana.example.com/d/holdfast-traces?var-traceId={traceId}",
    ]);
    const expected = render("infra/kubernetes/examples/tracing");
    const environments = (all: readonly Manifest[]) =>
      new Map(
        workloadsOf(all)
          .filter((one) => nameOf(one) !== "topology")
          .map((one) => [nameOf(one), environmentOf(one, all)]),
      );
    expect(environments(objects)).toEqual(environments(expected));
    const secrets = (all: readonly Manifest[]) =>
      workloadsOf(all).flatMap((one) =>
        (containerOf(one).env ?? []).flatMap(({ name, valueFrom }) =>
          name === "OTEL_EXPORTER_OTLP_HEADERS"
            ? [`${nameOf(one)} ${valueFrom?.secretKeyRef?.name}`]
            : [],
        ),
      );
    expect(secrets(objects).toSorted()).toEqual(secrets(expected).toSorted());
    expect(secrets(objects)).toHaveLength(8);
    const policy = (all: readonly Manifest[]) =>
      ofKind(all, "NetworkPolicy").find((one) => nameOf(one) === "traces")?.spec;
    expect(policy(objects)).toEqual(policy(expected));
  });

  test.each([
    ["http://collector:4318", 4318],
    ["https://otlp.example.com/tenant", 443],
    ["http://collector", 80],
  ])("traces to %s need port %i alone", async (endpoint, port) => {
    const objects = rendered(["--set", `tracing.endpoint=${endpoint}`]);
    const scheduler = workloadsOf(objects).find((one) => nameOf(one) === "scheduler");
    if (scheduler === undefined) throw new Error("There is no scheduler");
    const environment = environmentOf(scheduler, objects);
    expect(await environmentFaults("services/scheduler/dist/main.js", environment)).toEqual([]);
    const labels = labelsOf([scheduler], "scheduler");
    const without = openPorts(rendered([]), labels);
    expect(openPorts(objects, labels).filter((one) => !without.includes(one))).toEqual([port]);
    expect((await Promise.all(objects.map(schemaFaults))).flat()).toEqual([]);
  });

  test("an Agent in another language learns where traces go, and the console does not", () => {
    const badges = `agents[0]={"name":"badges","image":"badges:1","command":["x"]}`;
    const objects = rendered(["--set-json", badges, "--set", "tracing.endpoint=http://x:4318"]);
    const endpointOf = (name: string) => {
      const workload = workloadsOf(objects).find((one) => nameOf(one) === name);
      return workload && environmentOf(workload, objects)["OTEL_EXPORTER_OTLP_ENDPOINT"];
    };
    expect(endpointOf("badges-agent")).toBe("http://x:4318");
    expect(endpointOf("console")).toBeUndefined();
  });
});
