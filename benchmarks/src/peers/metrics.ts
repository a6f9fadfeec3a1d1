/** What is measured of each contender in each round. */
export interface Metric {
  readonly title: string;
  readonly unit: "orders/s" | "ms";
  readonly better: "more" | "less";
  readonly digits: number;
}

export const metrics = {
  backlog: { title: "full backlog", unit: "orders/s", better: "more", digits: 0 },
  inFlight: { title: "100 in flight", unit: "orders/s", better: "more", digits: 0 },
  loneP50: { title: "lone order, p50", unit: "ms", better: "less", digits: 1 },
  loneP99: { title: "lone order, p99", unit: "ms", better: "less", digits: 1 },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as readonly MetricName[];

export type ByMetric<Value> = Readonly<Record<MetricName, Value>>;

export const byMetric = <Value>(valueOf: (name: MetricName) => Value): ByMetric<Value> =>
  Object.fromEntries(metricNames.map((name) => [name, valueOf(name)])) as ByMetric<Value>;
