import type { SampleKind } from "@holdfast/orders";

/** Most orders are good, and every kind of trouble comes up early. */
const kinds: readonly SampleKind[] = [
  "good",
  "declined",
  "good",
  "unshippable",
  "good",
  "flaky",
  "good",
  "sold-out",
  "good",
  "fraudulent",
];

export const kindOf = (index: number): SampleKind => kinds[index % kinds.length] ?? "good";
