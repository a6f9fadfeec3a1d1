import { describe } from "@jest/globals";
import { chartNotes, getHelm, lintChart, renderChart } from "./helm.ts";
import { whyNotRendered } from "./kustomize.ts";
import type { Manifest } from "./manifest.ts";
import { pathOf } from "./repository.ts";

const helm = getHelm();
const why = "reason" in helm ? helm.reason : whyNotRendered();
if (why !== null) process.stderr.write(`The chart in infra/helm is not tested: ${why}.\n`);

/** The values of the example. */
export const shop: readonly string[] = ["--values", pathOf("infra/helm/example.yaml")];

/** Describes the chart; skipped where it cannot be rendered, and the title says why. */
export const describeChart = (title: string, tests: () => void): void =>
  why === null ? describe(title, tests) : describe.skip(`${title} (skipped: ${why})`, tests);

/** The objects of the chart with these arguments of Helm; none where it cannot be rendered. */
export const rendered = (values: readonly string[]): readonly Manifest[] =>
  why === null ? renderChart(helm, values) : [];

/** What `helm lint` finds. */
export const lint = (values: readonly string[]): string => lintChart(helm, values);

/** What Helm says after an install into the namespace `shop`. */
export const notes = (values: readonly string[]): string => chartNotes(helm, values);
