import { ProblemError } from "@holdfast/client";
import { ContractFault, Fault } from "@holdfast/domain";
import { exitCodeOf } from "../exit-codes.ts";

/** An error as an object, for programs. */
export async function errorObject(error: unknown): Promise<object> {
  const exitCode = exitCodeOf(error);
  if (error instanceof ProblemError) {
    const { code, message, status, errors, taskId, requestId } = error;
    return {
      error: {
        code,
        message,
        exitCode,
        status,
        ...(errors.length > 0 ? { errors } : {}),
        ...(taskId === null ? {} : { taskId }),
        ...(requestId === null ? {} : { requestId }),
      },
    };
  }
  const { code = "cli.failed" } = error as { readonly code?: unknown };
  return { error: { code, message: await errorText(error), exitCode } };
}

/** An error as a sentence or two, for people. */
export async function errorText(error: unknown): Promise<string> {
  const { message } = error as Error;
  if (error instanceof ProblemError) {
    const places = error.errors.map(({ pointer, detail }) => `\n  ${pointer || "/"} ${detail}`);
    return `${message}${places.join("")}${requestOf(error)}`;
  }
  // What breaks a contract says what to do; what a server says needs advice.
  if (!(error instanceof Fault) || error instanceof ContractFault) return message;
  const { adviceFor } = await import("@holdfast/diagnosis");
  return adviceFor(error);
}

/** The name under which the log of the service has what went wrong there. */
const requestOf = ({ status, requestId }: ProblemError): string =>
  status < 500 || requestId === null ? "" : `\n  request ${requestId} in the log of the service`;
