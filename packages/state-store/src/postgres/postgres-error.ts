import { errorText, Fault, PermanentFault, SetupFault, TransientFault } from "@holdfast/domain";
import { DatabaseError } from "pg";

/** Another transaction was quicker, or waited for this one: a retry may well succeed. */
const contention = new Set(["40001", "40P01", "55P03"]);
/** A value or a row that the store refuses every time. */
const poison = /^(21|22|23|54|HF|P0)/;
/**
 * The server is unreachable, shutting down, starting up, out of room or time, a read-only standby,
 * or refuses the login or the database for now. The statement may have been carried out or not.
 */
const outage = /^(08|25006|25P0[34]|28|53|55000|57|58|XX)/;
/** What the language itself throws: a bug of ours, and no connection that was lost. */
const bugs = new Set([
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "EvalError",
  "URIError",
]);

/**
 * What an error of the driver means. `store.bug` is no error of the driver at all.
 * `store.unavailable` includes the loss of a connection while the server executed a statement:
 * whether it took effect is then unknown.
 */
export function toStoreFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const sqlstate = sqlstateOf(error);
  const options = { cause: error, details: { sqlstate: sqlstate ?? "none" } };
  const message = errorText(error);
  if (error instanceof Error && bugs.has(error.name)) {
    return new PermanentFault("store.bug", message, options);
  }
  if (sqlstate === null || outage.test(sqlstate)) {
    return new TransientFault("store.unavailable", message, options);
  }
  if (contention.has(sqlstate)) return new TransientFault("store.contention", message, options);
  if (poison.test(sqlstate)) return new PermanentFault("store.refused", message, options);
  return new SetupFault("store.failed", message, options);
}

/** Whether the same may well succeed when it is done again. */
export const isContention = (error: unknown): boolean => contention.has(sqlstateOf(error) ?? "");

/** A row that was to be saved is not as it had been read. */
export const isMismatch = ({ details }: Fault): boolean => details["sqlstate"] === "HF002";

/** Schema or table does not exist. */
const missing: ReadonlySet<unknown> = new Set(["3F000", "42P01"]);

/** Whether there is no store, or one of another release. */
export const isNotMigrated = ({ details }: Fault): boolean => missing.has(details["sqlstate"]);

/** The rules of the store leave it to operators. */
export const isForOperators = (error: unknown): boolean => sqlstateOf(error) === "HF403";

/** Does `work`; whatever it throws leaves as a `Fault`. */
export async function asFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreFault(error);
  }
}

/**
 * The SQLSTATE of a server's error. Only the server has one: what the operating system calls EPIPE
 * looks the same.
 */
const sqlstateOf = (error: unknown): string | null =>
  error instanceof DatabaseError ? (error.code ?? null) : null;
