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
  workloadsOf,
} from "./manifest.ts";
import { openPorts } from "./open-ports.ts";
import { schemaFaults, unknownFields } from "./schema-faults.ts";

describeChart("a Supervisor that the platform starts", () => {
  const schedule = "* * * * *";
  const objects = rendered([...shop, "--set", `supervisorSchedule=${schedule}`]);
  const [supervisor] = workloadsOf(objects).filter((one) => nameOf(one) === "supervisor");

  test("the chart has the CronJob of examples/supervisor-cron, and neither has a Deployment beside it", () => {
    const expected = render("infra/kubernetes/examples/supervisor-cron");
    expect(essenceOf(objects)).toEqual(essenceOf(expected));
    expect(essenceOf(objects)).toMatchObject([{ spec: { schedule } }]);
    for (const all of [objects, expected]) {
      const others = ["Deployment", "PodDisruptionBudget"].flatMap((kind) => ofKind(all, kind));
      expect(others.map(nameOf)).not.toContain("supervisor");
    }
  });

  test("it is what Kubernetes takes, and has the settings and the ports that a Supervisor needs", async () => {
    expect((await Promise.all(ofKind(objects, "CronJob").map(schemaFaults))).flat()).toEqual([]);
    expect(unknownFields(ofKind(objects, "CronJob"))).toEqual([]);
    if (supervisor === undefined) throw new Error("There is no supervisor");
    const [main = "", ...args] = containerOf(supervisor).args ?? [];
    expect(args).toEqual(["--once"]);
    expect(await environmentFaults(main, environmentOf(supervisor, objects))).toEqual([]);
    const ports = openPorts(objects, supervisor.spec.template.metadata?.labels ?? {});
    expect(ports).toEqual(expect.arrayContaining([5432, 5672]));
  });
});

/** The CronJobs, with their settings in place of where those come from. */
const essenceOf = (objects: readonly Manifest[]) =>
  ofKind(objects, "CronJob").map((object) => {
    const [workload] = workloadsOf([object]);
    if (workload === undefined) throw new Error(`${nameOf(object)} has no container`);
    const { env: _, envFrom: __, imagePullPolicy: ___, ...container } = containerOf(workload);
    const { jobTemplate: ____, ...spec } = object.spec as { readonly jobTemplate: unknown };
    const { template, ...job } = workload.spec;
    return {
      spec,
      job,
      pod: { ...template.spec, containers: [container] },
      labels: template.metadata?.labels,
      env: environmentOf(workload, objects),
    };
  });
