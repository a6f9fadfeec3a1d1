import { type FaultCode, findFaultCode, type Json } from "@holdfast/domain";
import { faultPagePath } from "./fault-pages.ts";

/** The media type of every answer that is no success. */
export const problemType = "application/problem+json; charset=utf-8";

/** What an answer that is no success says. */
export interface ProblemText {
  readonly status: number;
  /** A code of the catalogue, or one of an Agent. */
  readonly code: FaultCode | (string & {});
  readonly message: string;
  readonly errors?: readonly object[];
  /** Members of the answer beside those of every problem. */
  readonly more?: Readonly<Record<string, Json>>;
}

/** The body of the answer to the request of that name: RFC 9457, with a stable `code`. */
export const problemBody = (
  { status, code, message, errors = [], more }: ProblemText,
  requestId: string,
): string =>
  JSON.stringify({
    type: faultPagePath(code) ?? "about:blank",
    title: titleOf(status),
    status,
    code,
    detail: message,
    retryable: findFaultCode(code)?.transient === true,
    requestId,
    ...(errors.length > 0 ? { errors } : {}),
    ...more,
  });

/** The reason phrase of a status. */
export const titleOf = (status: number): string => titles[status] ?? "Error";

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};
