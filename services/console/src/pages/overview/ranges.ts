/** Ranges of the chart, by their names in the URL. */
export const ranges = [
  { name: "15m", words: "15 min", ms: 900_000 },
  { name: "1h", words: "1 h", ms: 3_600_000 },
  { name: "6h", words: "6 h", ms: 21_600_000 },
  { name: "24h", words: "24 h", ms: 86_400_000 },
  { name: "7d", words: "7 d", ms: 604_800_000 },
  { name: "30d", words: "30 d", ms: 2_592_000_000 },
] as const;

export type Range = (typeof ranges)[number];

const usual: Range = ranges[1];

/** The range of the URL; one that there is not is the usual one. */
export const readRange = (text: string | null): Range =>
  ranges.find(({ name }) => name === text) ?? usual;

/** The query value of a range; null: it is the usual one. */
export const writeRange = ({ name }: Range): string | null => (name === usual.name ? null : name);
