import { Fault } from "@holdfast/domain";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

/** Where exactly a body is wrong: a JSON pointer, and what is wrong there. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/** An answer to a request that cannot be granted: RFC 9457, with a stable `code`. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldFault[];

  constructor(status: number, code: string, detail: string, errors: readonly FieldFault[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Turns whatever a route threw into an answer that says what to do. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, code, message, errors } = toProblem(error);
  if (status >= 500) request.log.error({ err: error }, "request failed");
  if (status === 503) void reply.header("retry-after", "1");
  return reply
    .code(status)
    .type("application/problem+json")
    .send({
      type: "about:blank",
      title: titles[status] ?? "Error",
      status,
      code,
      detail: message,
      ...(errors.length > 0 ? { errors } : {}),
    });
}

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** What the framework refuses, under names that stay when the framework goes. */
const codes: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "request.not_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "request.empty",
  FST_ERR_CTP_BODY_TOO_LARGE: "request.too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "request.media_type_unsupported",
};

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Fault && error.transient) {
    return new Problem(
      503,
      error.code,
      "The state store does not answer. Send the same request again, with the same Idempotency-Key.",
    );
  }
  const { statusCode, code, message, validation } = error as FastifyError;
  if (validation !== undefined) {
    const errors = validation.map(({ instancePath: pointer, message: detail = "", params }) => {
      const { additionalProperty: extra } = params;
      return { pointer, detail: typeof extra === "string" ? `${detail}: ${extra}` : detail };
    });
    return new Problem(422, "request.invalid", "The request is not complete or not right.", errors);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem(statusCode, codes[code] ?? "request.invalid", message);
  }
  return new Problem(500, "request.failed", "Something went wrong on our side.");
}
