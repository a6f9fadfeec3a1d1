import { ConnectionError, ProblemError } from "@holdfast/client";
import { ContractFault } from "@holdfast/domain";
import { exitCodes } from "../exit-codes.ts";
import { ConfigurationError, UsageError } from "./usage-error.ts";

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof RangeError) return exitCodes.usage;
  if (error instanceof ConfigurationError) return exitCodes.configuration;
  if (error instanceof ConnectionError) return exitCodes.notReachable;
  if (error instanceof ContractFault) return exitCodes.refused;
  if (!(error instanceof ProblemError)) return exitCodes.failed;
  if (error.status === 404) return exitCodes.notFound;
  if (error.status === 502 || error.status === 503 || error.status === 504) {
    return exitCodes.notReachable;
  }
  return error.status >= 500 ? exitCodes.failed : exitCodes.refused;
}

/** An error as an object, for programs. */
export function errorObject(error: unknown): object {
  const exitCode = exitCodeOf(error);
  const { message } = error as Error;
  const common = { message, exitCode };
  if (error instanceof ProblemError) {
    const { code, status, errors, taskId, requestId } = error;
    return {
      error: {
        code,
        ...common,
        status,
        ...(errors.length > 0 ? { errors } : {}),
        ...(taskId === null ? {} : { taskId }),
        ...(requestId === null ? {} : { requestId }),
      },
    };
  }
  const { code = "cli.failed" } = error as { readonly code?: unknown };
  return { error: { code, ...common } };
}

/** An error as a sentence or two, for people. */
export function errorText(error: unknown): string {
  const { message } = error as Error;
  if (!(error instanceof ProblemError)) return message;
  const places = error.errors.map(({ pointer, detail }) => `\n  ${pointer || "/"} ${detail}`);
  return `${message}${places.join("")}${requestOf(error)}`;
}

/** The name under which the log of the service has what went wrong there. */
const requestOf = ({ status, requestId }: ProblemError): string =>
  status < 500 || requestId === null ? "" : `\n  request ${requestId} in the log of the service`;
