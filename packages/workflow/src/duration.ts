import { ContractFault, type Duration, type Milliseconds, parseDuration } from "@holdfast/domain";

export type { Duration } from "@holdfast/domain";

/** What is stored. Throws a `ContractFault` that names the field. */
export function toMilliseconds(duration: Duration, field: string): Milliseconds {
  const ms = parseDuration(duration);
  if (!Number.isNaN(ms)) return ms;
  throw new ContractFault(
    "workflow.invalid",
    `${field} is ${duration}, which is no duration: write a number and ms, s, m, h or d, such as 30s`,
  );
}
