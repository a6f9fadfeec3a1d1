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

/** What is stored of a limit that must be said; null: for ever. Throws as `toMilliseconds` does. */
export function toLimit(limit: Duration | "for-ever", field: string): Milliseconds | null {
  // What a program in JavaScript may leave out.
  if ((limit as unknown) === undefined) {
    throw new ContractFault(
      "workflow.invalid",
      `${field} is missing: say how long it waits, such as ${field}: "3d", or ${field}: "for-ever"`,
    );
  }
  return limit === "for-ever" ? null : toMilliseconds(limit, field);
}
