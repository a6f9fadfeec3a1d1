import type { Milliseconds } from "./workflow-definition.ts";

const unitInMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration as people write it: `250ms`, `30s`, `5m`, `2h`, `1d`. */
export type Duration = `${number}${keyof typeof unitInMs}`;

/** NaN for a text that is no duration. */
export function parseDuration(text: string): Milliseconds {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? Number.NaN : Number(amount) * unitInMs[unit as keyof typeof unitInMs];
}
