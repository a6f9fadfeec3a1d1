import { describe, expect, test } from "@jest/globals";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { render, whyNotRendered } from "./kustomize.ts";
import { containerOf, environmentOf, nameOf, ofKind, workloadsOf } from "./manifest.ts";
import { openPorts } from "./open-ports.ts";

const why = whyNotRendered();
const describeRendered = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

describeRendered.each(["overlays/local", "overlays/production", "examples/tracing"])(
  `the console of %s${because}`,
  (name) => {
    const objects = why === null ? render(`infra/kubernetes/${name}`) : [];
    const workloads = workloadsOf(objects);

    test("the console reaches operations, which lets it in, and neither the state store nor the broker", () => {
      const [console, operations] = ["console", "operations"].map((wanted) =>
        workloads.find((one) => nameOf(one) === wanted),
      );
      if (console === undefined || operations === undefined) throw new Error("One is not there");
      const labels = console.spec.template.metadata?.labels ?? {};
      const others = [5432, 5671, 5672, 443, 4318];
      expect(openPorts(objects, labels)).toContain(
        containerOf(operations).ports?.find((one) => one.name === "http")?.containerPort,
      );
      expect(openPorts(objects, labels).filter((one) => others.includes(Number(one)))).toEqual([]);
      expect(environmentOf(console, objects)["API_URL"]).toBe(`http://${nameOf(operations)}`);
      const policies = ofKind(objects, "NetworkPolicy") as readonly INetworkPolicy[];
      const allowed = policies.find(({ metadata }) => metadata?.name === "operations")?.spec
        ?.ingress;
      expect(allowed?.flatMap(({ from = [] }) => from)).toContainEqual({
        podSelector: { matchLabels: { "app.kubernetes.io/name": "console" } },
      });
    });
  },
);
