import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type Clock, systemClock } from "../time/clock.ts";
import { within } from "../time/within.ts";
import type { LabelValues, Measure, MetricDefinition, Metrics, Reading } from "./metrics.ts";

/** Metrics, and how they are exposed. */
export interface ExposedMetrics extends Metrics {
  /**
   * The text of one scrape. Never throws, and resolves within some seconds whatever the store and
   * the broker do.
   */
  scrape(): Promise<ScrapedMetrics>;
}

interface ScrapedMetrics {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Milliseconds that a scrape waits for what must be asked for. Prometheus waits ten seconds by
 * default.
 */
const timeout = 2_500;

/**
 * Opens a registry of one service. `service` stands in each series, so that boards and rules find
 * it whatever a scraper calls its jobs.
 */
export function openMetrics(
  service: string,
  clock: Pick<Clock, "after"> = systemClock,
): ExposedMetrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service_name: service });
  const measures = new Map<string, Measure>();
  const readers = new Map<string, () => Iterable<Reading>>();
  const refreshers = new Map<string, () => Promise<void>>();
  let scraping: Promise<ScrapedMetrics> | null = null;

  const measureOf = (definition: MetricDefinition, make: () => Measure): Measure => {
    const measure = measures.get(definition.name) ?? make();
    measures.set(definition.name, measure);
    return measure;
  };

  const scrape = async (): Promise<ScrapedMetrics> => {
    const refreshed = Promise.allSettled([...refreshers.values()].map((refresh) => refresh()));
    await within(refreshed, timeout, clock);
    return { contentType: registry.contentType, text: await registry.metrics() };
  };

  return {
    counter: (definition) => measureOf(definition, () => counterOf(definition, registry)),
    histogram: (definition) => measureOf(definition, () => histogramOf(definition, registry)),
    read(definition, read) {
      const isNew = !readers.has(definition.name);
      readers.set(definition.name, read);
      if (isNew) addReader(definition, registry, () => readers.get(definition.name)?.() ?? []);
    },
    beforeScrape: (name, refresh) => void refreshers.set(name, refresh),
    /** Scrapes at the same time share one. */
    scrape() {
      scraping ??= scrape().finally(() => {
        scraping = null;
      });
      return scraping;
    },
  };
}

const optionsOf = ({ name, help, labels = {} }: MetricDefinition, registry: Registry) => ({
  name,
  help,
  labelNames: Object.keys(labels),
  registers: [registry],
});

function counterOf(definition: MetricDefinition, registry: Registry): Measure {
  const counter = new Counter(optionsOf(definition, registry));
  const find = seriesOf(definition, (values) => counter.labels(values));
  return (by, ...labels) => find(labels).inc(by);
}

function histogramOf(definition: MetricDefinition, registry: Registry): Measure {
  const { buckets = [] } = definition;
  const histogram = new Histogram({ ...optionsOf(definition, registry), buckets: [...buckets] });
  const find = seriesOf(definition, (values) => histogram.labels(values));
  return (value, ...labels) => find(labels).observe(value);
}

/** A metric whose reader throws, or has nothing to say, has no values in this scrape. */
function addReader(
  definition: MetricDefinition,
  registry: Registry,
  read: () => Iterable<Reading>,
): void {
  const find = seriesOf(definition, (values) => values);
  const isUnlabelled = Object.keys(definition.labels ?? {}).length === 0;
  const clear = (): void => {
    metric.reset();
    // Without labels a reset leaves a 0, which would say that something is known.
    if (isUnlabelled) metric.remove();
  };
  const collect = (): void => {
    clear();
    try {
      for (const [value, ...labels] of read()) metric.inc(find(labels), value);
    } catch {
      clear();
    }
  };
  const options = { ...optionsOf(definition, registry), collect };
  const metric: Counter | Gauge =
    definition.kind === "counter" ? new Counter(options) : new Gauge(options);
}

/**
 * Separates label values in a key; a name that contains it counts as other at worst under another
 * name's series.
 */
const separator = "\u0000";

/**
 * Returns the time series of label values, each made once by `make`. Finding it again costs one
 * look-up for each label and one for all, and no object: that is done for every batch.
 */
function seriesOf<Series>(
  { labels = {} }: Pick<MetricDefinition, "labels">,
  make: (values: Readonly<Record<string, string>>) => Series,
): (values: readonly string[]) => Series {
  const names = Object.keys(labels);
  const bounds = Object.values(labels).map(labelBound);
  const known = new Map<string, Series>();
  return (values) => {
    let key = "";
    for (let index = 0; index < bounds.length; index += 1) {
      const bounded = bounds[index]!(values[index] ?? "");
      key = index === 0 ? bounded : key + separator + bounded;
    }
    const series = known.get(key);
    if (series !== undefined) return series;
    const parts = key.split(separator);
    const made = make(Object.fromEntries(names.map((name, index) => [name, parts[index] ?? ""])));
    known.set(key, made);
    return made;
  };
}

/** Stands for all values beyond the bound of a label. */
const otherValue = "other";

/** Characters of a label value; no name that Holdfast registers is longer. */
const longest = 200;

/**
 * Maps what a label is given to what is exposed, so that the number of time series is bounded
 * whatever is sent: a value that is not on the list, or comes after so many others, becomes
 * `other`.
 */
function labelBound(values: LabelValues): (value: string) => string {
  if (!("most" in values)) {
    const known = new Set(values);
    return (value) => (known.has(value) ? value : otherValue);
  }
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= values.most || value.length > longest) return otherValue;
    seen.add(value);
    return value;
  };
}
