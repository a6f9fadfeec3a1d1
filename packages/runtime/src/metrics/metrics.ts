/**
 * The values that a label may have: these, or at most so many different ones. Every other value
 * counts as `other`.
 */
export type LabelValues = readonly string[] | { readonly most: number };

/** One metric, as it is exposed and as docs/reference/metrics.md has it. */
export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  /**
   * The name after OpenTelemetry's conventions where there is one; else `holdfast_…`. It ends in
   * the unit, and in `_total` if it is a counter.
   */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** The labels in the order in which their values are given. */
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** The metrics of one package or service, by the names that its code has for them. */
export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

/** Adds to a counter, or observes a value, for these label values. */
export type Measure = (value: number, ...labels: readonly string[]) => void;

/** A value of a gauge, and the label values that it is for. */
export type Reading = readonly [value: number, ...labels: readonly string[]];

/**
 * What a service measures. The same definition may be asked for again, such as by a second
 * connection: it is the same metric then, and it is read by its last reader.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Measure;
  histogram(definition: MetricDefinition): Measure;
  /**
   * A gauge, or a counter that something else keeps: `read` is called at each scrape, and must not
   * wait for anything.
   */
  read(definition: MetricDefinition, read: () => Iterable<Reading>): void;
  /**
   * Has `refresh` called at each scrape, before anything is read; another one of the same name
   * replaces it. A scrape does not wait for it for long.
   */
  beforeScrape(name: string, refresh: () => Promise<void>): void;
}

const nothing = (): void => {};

/** Measures nothing: for programs without a port for metrics, and for tests. */
export const noMetrics: Metrics = {
  counter: () => nothing,
  histogram: () => nothing,
  read: nothing,
  beforeScrape: nothing,
};
