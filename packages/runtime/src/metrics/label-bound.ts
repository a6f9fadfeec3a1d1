import type { LabelValues } from "./metrics.ts";

/** Stands for all values beyond the bound of a label. */
const otherValue = "other";

/** Characters of a label value; no name that Holdfast registers is longer. */
const longest = 200;

/**
 * Maps what a label is given to what is exposed, so that the number of time series is bounded whatever is sent: a
 * value that is not on the list, or comes after so many others, becomes `other`.
 */
export function labelBound(values: LabelValues): (value: string) => string {
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
