import { markdownTable, type Spread } from "@holdfast/load";
import type { CpuByPart } from "../cpu.ts";
import type { Comparison, ContenderResult } from "./comparison.ts";
import { type MetricName, metricNames, metrics } from "./metrics.ts";

/** The page that tells what was measured. The chart lies beside it. */
export function report({ setting, contenders }: Comparison): string {
  const others = contenders.filter(({ ratios }) => ratios !== null);
  return `# Performance

Written by \`pnpm bench --peers\`; do not edit. [Decision 0078](../decisions/0078-comparison-with-peers.md) says how the comparison is made fair, and what it cannot show.

${setting.date}, ${setting.machine}. Rounds: ${setting.rounds}, the contenders one after the other in each; ${setting.orders} orders of three steps for each throughput, ${setting.loneOrders} lone orders. Every write is synced to the disk.

![Orders a second, and the time of a lone order](performance.svg)

Medians over the rounds, with the smallest and the largest in brackets.

${markdownTable(["", ...metricNames.map(headingOf)], contenders.map(figuresOf))}

How many times as good as each of them Holdfast is: the median of the rounds' own ratios. Above 1, Holdfast processes more orders or takes less time.

${markdownTable(["", ...metricNames.map((name) => metrics[name].title)], others.map(ratiosOf))}

CPU for an order of the full backlog, of all processes together.

${markdownTable(["", "shape", "ms", "of which"], contenders.map(cpuOf))}

Versions: ${Object.entries(setting.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}.
`;
}

const headingOf = (name: MetricName): string => `${metrics[name].title} (${metrics[name].unit})`;

const figuresOf = ({ title, figures }: ContenderResult): readonly string[] => [
  title,
  ...metricNames.map((name) => spread(figures[name], metrics[name].digits)),
];

function spread({ min, median, max }: Spread, digits: number): string {
  const [least, middle, most] = [min, median, max].map((value) => value.toFixed(digits));
  return `${middle} (${least} to ${most})`;
}

const ratiosOf = ({ title, ratios }: ContenderResult): readonly string[] => [
  title,
  ...metricNames.map((name) => ratios?.[name].toFixed(2) ?? ""),
];

const cpuOf = ({ title, shape, cpu }: ContenderResult): readonly string[] => [
  title,
  shape,
  sumOf(cpu).toFixed(2),
  Object.entries(cpu)
    .map(([part, ms]) => `${part} ${ms.toFixed(2)}`)
    .join(", "),
];

const sumOf = (cpu: CpuByPart): number => Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
