import { ContractFault, type Milliseconds } from "@holdfast/domain";

/** What people write: `250ms`, `30s`, `5m`, `2h`, `1d`. */
export type Duration = `${number}${keyof typeof unitInMs}`;

const unitInMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What is stored. Throws a `ContractFault` that names the field. */
export function toMilliseconds(duration: Duration, field: string): Milliseconds {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  if (amount !== undefined) return Number(amount) * unitInMs[unit as keyof typeof unitInMs];
  throw new ContractFault(
    "workflow.invalid",
    `${field} is ${duration}, not a duration such as 30s`,
  );
}
