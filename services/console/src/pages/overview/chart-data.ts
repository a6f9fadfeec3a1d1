import type { Statistics, StatisticsBucket } from "../../api/types.ts";
import type { Tone } from "../../parts/state-styles.ts";

/** The lines of the chart, in their order. Dashes tell them apart where colours do not. */
export const lines = [
  { name: "submitted", words: "Submitted", tone: "quiet", dash: [4, 3] },
  { name: "processed", words: "Done", tone: "good", dash: [] },
  { name: "undone", words: "Undone", tone: "undo", dash: [8, 3] },
  { name: "halted", words: "Halted", tone: "bad", dash: [2, 2] },
] as const satisfies readonly {
  readonly name: keyof StatisticsBucket;
  readonly words: string;
  readonly tone: Tone;
  readonly dash: readonly number[];
}[];

export type LineName = (typeof lines)[number]["name"];

/** Seconds, and one array of rates per minute for each line, as uPlot takes them. */
export function chartData({
  buckets,
  bucketMs,
}: Pick<Statistics, "buckets" | "bucketMs">): number[][] {
  const minutes = Math.max(bucketMs, 1) / 60_000;
  return [
    buckets.map(({ at }) => Date.parse(at) / 1_000),
    ...lines.map(({ name }) => buckets.map((bucket) => bucket[name] / minutes)),
  ];
}

/** How many there were in the whole range. */
export const totalOf = ({ buckets }: Pick<Statistics, "buckets">, name: LineName): number =>
  buckets.reduce((sum, bucket) => sum + bucket[name], 0);
