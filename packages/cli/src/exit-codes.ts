import type { Fault } from "@holdfast/domain";

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

const byCode: Readonly<Record<string, number>> = {
  "cli.usage": exitCodes.usage,
  "cli.agent_not_found": exitCodes.notFound,
  "task.unknown": exitCodes.notFound,
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

export const exitCodeOf = ({ code, details }: Fault): number =>
  bySqlstate[String(details["sqlstate"])] ?? byCode[code] ?? exitCodes.failed;
