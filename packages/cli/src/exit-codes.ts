import { ConnectionError, ProblemError, RequestError } from "@holdfast/client";
import { ContractFault, Fault } from "@holdfast/domain";

/** What the exit codes of all commands say. */
export const exitCodes = {
  ok: 0,
  /** It was done, and the result is bad; or it failed for another reason than those below. */
  failed: 1,
  usage: 2,
  notFound: 3,
  timedOut: 4,
  refused: 5,
  /** A server does not answer (EX_UNAVAILABLE). */
  notReachable: 69,
  /** A variable or a profile is missing or wrong (EX_CONFIG). */
  configuration: 78,
} as const;

/** The exit codes as the help has them. */
export const exitCodesText = `exit code: 0 ok; 1 failed, undone, or something was found; 2 wrong use; 3 not found;
           4 not ended in time; 5 refused; 69 a server does not answer; 78 wrong configuration`;

const byCode: Readonly<Record<string, number>> = {
  "cli.usage": exitCodes.usage,
  "cli.agent_not_found": exitCodes.notFound,
  "cli.no_case": exitCodes.notFound,
  "docs.unknown": exitCodes.notFound,
  "task.unknown": exitCodes.notFound,
  "agent.unknown": exitCodes.notFound,
  "breaker.unknown": exitCodes.notFound,
  "broker.refused": exitCodes.refused,
  "broker.unreachable": exitCodes.notReachable,
  "store.unavailable": exitCodes.notReachable,
  "config.invalid": exitCodes.configuration,
};

/** Errors of Postgres: it refuses the user, or there is no such database. */
const bySqlstate: Readonly<Record<string, number>> = {
  "28P01": exitCodes.refused,
  "28000": exitCodes.refused,
  "42501": exitCodes.refused,
  "3D000": exitCodes.notFound,
};

/** The exit code of a command that ends with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault(error);
  if (error instanceof RangeError || error instanceof RequestError) return exitCodes.usage;
  if (error instanceof ConnectionError) return exitCodes.notReachable;
  return error instanceof ProblemError ? exitCodeOfStatus(error.status) : exitCodes.failed;
}

function exitCodeOfFault(fault: Fault): number {
  const known = bySqlstate[String(fault.details["sqlstate"])] ?? byCode[fault.code];
  if (known !== undefined) return known;
  return fault instanceof ContractFault ? exitCodes.refused : exitCodes.failed;
}

function exitCodeOfStatus(status: number): number {
  if (status === 404) return exitCodes.notFound;
  if (status === 502 || status === 503 || status === 504) return exitCodes.notReachable;
  return status >= 500 ? exitCodes.failed : exitCodes.refused;
}
