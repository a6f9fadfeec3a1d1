import { labelBound } from "./label-bound.ts";
import type { MetricDefinition } from "./metrics.ts";

/** Separates label values in a key; a name that contains it counts as other at worst under another name's series. */
const separator = "\u0000";

/**
 * Returns the time series of label values, each made once by `make`. Finding it again costs one look-up for each label and
 * one for all, and no object: that is done for every batch.
 */
export function seriesOf<Series>(
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
