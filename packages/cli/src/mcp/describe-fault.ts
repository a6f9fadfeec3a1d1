import { ConnectionError, ProblemError } from "@holdfast/client";
import { Fault } from "@holdfast/domain";

/** What went wrong, for a model: a code, what to do, and whether the same call may succeed later. */
export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly transient: boolean;
}

/** Describes a fault; null: it is a bug. */
export function describeFault(error: unknown): ToolFault | null {
  if (error instanceof ProblemError) return problemFault(error);
  if (error instanceof ConnectionError) {
    const { code, message } = error;
    const advice = "is the submission service running, and is HOLDFAST_URL right?";
    return { code, message: `${message}: ${advice}`, transient: true };
  }
  if (!(error instanceof Fault)) return null;
  const { code, message, transient } = error;
  return { code, message, transient };
}

function problemFault({ code, status, message, errors }: ProblemError): ToolFault {
  const places = errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  const advice =
    status === 401 || status === 403
      ? ["Set HOLDFAST_TOKEN to the operators' token, and HOLDFAST_URL to a service for operators."]
      : [];
  return { code, message: [message, ...places, ...advice].join(" "), transient: status >= 500 };
}
