import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { documentedMetrics } from "./documented-metrics.ts";
import { expressions } from "./expressions.ts";
import { promqlFacts } from "./promql-facts.ts";

const all = expressions();
const documented = documentedMetrics();
/** What Prometheus adds itself. */
const ofScraper = ["instance", "job", "le", "service_name"];

/** A metric of the page; a histogram also by its parts. */
const definitionOf = (name: string) =>
  documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ""));

describe.each(all.map((one) => [one.at, one] as const))("%s", (_, { text }) => {
  const { metrics, labels, errors } = promqlFacts(text);

  test("is an expression of Prometheus that names a metric", () => {
    expect(errors).toEqual([]);
    expect(metrics.length).toBeGreaterThan(0);
  });

  test("names metrics and labels that docs/reference/metrics.md has", () => {
    const ours = metrics.filter((name) => name !== "up");
    expect(ours.filter((name) => definitionOf(name) === undefined)).toEqual([]);
    const known = [...ofScraper, ...ours.flatMap((name) => definitionOf(name)?.labels ?? [])];
    expect(labels.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test("an expression that is cut off, and a name that no service has, are found", () => {
  expect(promqlFacts("sum(rate(x_total[1m])").errors).not.toEqual([]);
  expect(promqlFacts('sum by (a) (rate(x_total{b="c"}[1m]))')).toEqual({
    metrics: ["x_total"],
    labels: ["a", "b"],
    errors: [],
  });
  expect(definitionOf("holdfast_no_such_total")).toBeUndefined();
});

test("each alert rule leads to a section of the guide that names it", () => {
  const rules = all.filter(({ runbook }) => runbook !== null);
  expect(rules.length).toBeGreaterThan(10);
  const guide = readFileSync(
    fileURLToPath(new URL("../../../docs/guides/operations.md", import.meta.url)),
    "utf8",
  );
  const sections = new Map(
    guide.split(/^#{2,3} /m).map((section) => {
      const [title = ""] = section.split("\n");
      return [
        title
          .toLowerCase()
          .replace(/[^a-z0-9 ]/g, "")
          .replaceAll(" ", "-"),
        section,
      ];
    }),
  );
  const lost = rules.filter(({ at, runbook }) => {
    const [path, anchor = ""] = (runbook ?? "").split("#");
    return path !== "docs/guides/operations.md" || !sections.get(anchor)?.includes(`\`${at}\``);
  });
  expect(lost.map(({ at }) => at)).toEqual([]);
});

test("every metric of Holdfast's own is on a board or in a rule, and ends in its unit", () => {
  const used = new Set(all.flatMap(({ text }) => promqlFacts(text).metrics));
  const parts = (name: string) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`];
  const unused = [...documented.keys()].filter(
    (name) => name.startsWith("holdfast_") && !parts(name).some((part) => used.has(part)),
  );
  expect(unused).toEqual([]);
  const units = /_(seconds|bytes|tasks|steps|messages)$/;
  const histograms = [...documented].filter(([, { kind }]) => kind === "histogram");
  expect(histograms.filter(([name]) => !units.test(name))).toEqual([]);
  const durations = [...documented.keys()].filter((name) =>
    /_(age|duration|delay|uptime)(_|$)/.test(name),
  );
  expect(durations.filter((name) => !/_seconds(_total)?$/.test(name))).toEqual([]);
  const others = [...documented].filter(([, { kind }]) => kind !== "counter");
  expect(others.filter(([name]) => name.endsWith("_total"))).toEqual([]);
  const counters = [...documented].filter(([, { kind }]) => kind === "counter");
  expect(counters.filter(([name]) => !name.endsWith("_total"))).toEqual([]);
});
