import { markdownTable, median, medianOfRatios } from "@holdfast/load";
import type { Setting } from "../setting.ts";
import type { ObservedFigures } from "./measure-observed.ts";
import { type ObservedSetup, observedSetups } from "./setups.ts";

export type RoundFigures = Readonly<Record<ObservedSetup["name"], ObservedFigures>>;

export interface ObservabilityRow extends ObservedFigures {
  readonly title: string;
  /** The ratio to metrics alone, which are always on: the median of the rounds' own ratios. */
  readonly rate: number;
  readonly cpu: number;
  /** The smallest and the largest ratio of throughput in a round. */
  readonly rateSpread: readonly [number, number];
}

export interface ObservabilityResult extends Setting {
  /** The load average of the machine before it began. */
  readonly load: number;
  readonly rounds: number;
  readonly orders: number;
  readonly rows: readonly ObservabilityRow[];
}

export const rowsOf = (rounds: readonly RoundFigures[]): readonly ObservabilityRow[] =>
  observedSetups.map(({ name, title }) => {
    const medianOf = (figure: keyof ObservedFigures) =>
      median(rounds.map((round) => round[name][figure]));
    const ratioOf = (figure: keyof ObservedFigures) =>
      medianOfRatios(rounds, (round) => [round[name][figure], round.metrics[figure]]);
    const rates = rounds.map(
      (round) => round[name].ordersPerSecond / round.metrics.ordersPerSecond,
    );
    return {
      title,
      ordersPerSecond: medianOf("ordersPerSecond"),
      cpuMs: medianOf("cpuMs"),
      spanBytes: medianOf("spanBytes"),
      rate: ratioOf("ordersPerSecond"),
      cpu: ratioOf("cpuMs"),
      rateSpread: [Math.min(...rates), Math.max(...rates)],
    };
  });

/** The page that says what it costs to look at Holdfast. */
export function report({ rows, ...setting }: ObservabilityResult): string {
  return `# The cost of metrics and traces

Written by \`pnpm bench --observability\`; do not edit. ${setting.date}, ${setting.machine}, Postgres ${setting.postgres}, every commit synced to the disk. Load average before: ${setting.load}.

${setting.rounds} rounds. In each, every setup processes ${setting.orders} orders of three steps, with services that are started anew: submitted over HTTP, and measured until the last one is processed. One submission, one Scheduler, one process of Agents, the servers, the load and the collector share the machine. Metrics are scraped every 5 seconds; spans go as OTLP (protobuf) to a local collector, which counts and drops them.

${markdownTable(
  [
    "",
    "orders/s",
    "beside metrics",
    "CPU ms an order",
    "beside metrics",
    "bytes of spans an order",
  ],
  rows.map((row) => [
    row.title,
    row.ordersPerSecond.toFixed(),
    `${row.rate.toFixed(3)} (${row.rateSpread.map((one) => one.toFixed(3)).join(" to ")})`,
    row.cpuMs.toFixed(3),
    row.cpu.toFixed(3),
    row.spanBytes.toFixed(),
  ]),
)}

Medians over the rounds; ratios are the medians of the rounds' own ratios, with the smallest and the largest in brackets. CPU is that of submission, the Scheduler and the Agents.
`;
}
