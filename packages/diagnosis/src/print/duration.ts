const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A span of time for people, in one unit: "40 ms", "90 s", "5 min", "3 h". */
export function duration(ms: number): string {
  const [unit, size] = units.find(([, one]) => Math.abs(ms) >= 2 * one) ?? ["ms", 1];
  return `${Math.round(ms / size)} ${unit}`;
}
