import { errorText, TransientFault } from "@holdfast/domain";
import type { FailedAttempt } from "@holdfast/runtime";
import { DatabaseError } from "pg";

/** Refused login (invalid_authorization_specification), unknown database, no right to connect to it. */
const refusals = /^(28|3D000|42501)/;
/** Protocol violation: what PgBouncer says for all that it refuses. */
const byPooler = "08P01";
const poolerRefusals = /authentication failed|no such (user|database)/;

/** What an error of an attempt to connect to Postgres means. */
export function explainFailure(error: unknown): FailedAttempt {
  return { kind: isRefusal(error) ? "refused" : "away", reason: errorText(error) };
}

/** A database that does not let us in is unavailable: it may do so later, as a server that is away may come back. */
export function asUnavailable(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  return new TransientFault("store.unavailable", error.message, {
    cause: error,
    details: { sqlstate: error.code ?? "none" },
  });
}

function isRefusal(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  if (error.code === byPooler) return poolerRefusals.test(error.message);
  return refusals.test(error.code ?? "");
}
