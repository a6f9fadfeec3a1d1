import type { SampleKind } from "@holdfast/orders";

/** Two of three orders are good; the others are undone from wherever they get to. */
const kinds: readonly SampleKind[] = [
  "good",
  "good",
  "unshippable",
  "good",
  "flaky",
  "declined",
  "good",
  "good",
  "unshippable",
  "good",
  "sold-out",
  "fraudulent",
];

export const kindOf = (index: number): SampleKind => kinds[index % kinds.length] ?? "good";
