import { errorText, Fault, type Milliseconds } from "@holdfast/domain";
import { type Clock, systemClock } from "./clock.ts";

/** Failures in a row of work that is repeated. */
export interface FailureRun {
  readonly failures: number;
  /** When the first one was. */
  readonly since: number;
  /** How many of each cause there were, and when the log last had one. */
  readonly causes: Readonly<Record<string, { readonly count: number; readonly loggedAt: number }>>;
}

/** No failure since the last success. */
export const noFailures: FailureRun = { failures: 0, since: 0, causes: {} };

const atLeastEach: Milliseconds = 60_000;
/** Different causes in one run; those beyond count as one. */
const mostCauses = 20;

/**
 * Counts one more failure. It is to be logged if it is the first, second, fourth, eighth … of its
 * cause in a row, or if the log has had none of that cause for a minute.
 */
export function countFailure(
  run: FailureRun,
  cause: string,
  now: number,
): { readonly run: FailureRun; readonly isDue: boolean } {
  const isKnown = cause in run.causes || Object.keys(run.causes).length < mostCauses;
  const key = isKnown ? cause : "other";
  const earlier = run.causes[key];
  const count = (earlier?.count ?? 0) + 1;
  const isDue =
    earlier === undefined || isPowerOfTwo(count) || now - earlier.loggedAt >= atLeastEach;
  const loggedAt = isDue ? now : earlier.loggedAt;
  return {
    run: {
      failures: run.failures + 1,
      since: run.failures === 0 ? now : run.since,
      causes: { ...run.causes, [key]: { count, loggedAt } },
    },
    isDue,
  };
}

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));

/** The cause of an error: its code where it has one, else its kind and what it says. */
export function causeOf(error: unknown): string {
  if (error instanceof Fault) return error.code;
  const { code, name } = Object(error) as { readonly code?: string | number; name?: string };
  return String(code ?? `${name}: ${errorText(error)}`);
}

/** Failures in a row, of which the log has only some. */
export interface FailureLog {
  /** Counts a failure. Returns how many there were in a row if it is to be logged, else null. */
  failed(cause: string): number | null;
  /** Ends the run. Returns it if some of its failures were not logged, else null. */
  succeeded(): { readonly failures: number; readonly after: Milliseconds } | null;
}

/** Starts without failures. */
export function failureLog(clock: Pick<Clock, "now"> = systemClock): FailureLog {
  let run = noFailures;
  return {
    failed(cause) {
      const counted = countFailure(run, cause, clock.now());
      run = counted.run;
      return counted.isDue ? run.failures : null;
    },
    succeeded() {
      const { failures, since } = run;
      if (failures === 0) return null;
      run = noFailures;
      return failures === 1 ? null : { failures, after: Math.round(clock.now() - since) };
    },
  };
}
