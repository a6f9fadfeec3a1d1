import type { IncomingMessage, ServerResponse } from "node:http";
import { overload } from "@holdfast/runtime";
import { problemBody, problemType, safeHeaders } from "@holdfast/runtime/http";
import type { FastifyInstance } from "fastify";
import { toProblem } from "./problem.ts";

/** A route that refuses requests under overload. */
export interface EarlyRefusal {
  readonly method: string;
  /** Whether a request is one of the route, by its URL as it was sent, with its query. */
  readonly isMeant: (url: string) => boolean;
  readonly isOverloaded: () => boolean;
}

/**
 * Answers 503 before the framework sees the request. Under overload there are several refusals for each
 * task that is taken, and what they cost is missing for the others: half of what the framework needs.
 */
export function refuseEarly(
  app: FastifyInstance,
  { method, isMeant, isOverloaded }: EarlyRefusal,
  logRefusal: (err: unknown) => void,
): void {
  const body = problemBody(toProblem(overload));
  const headers = {
    ...safeHeaders,
    "content-type": problemType,
    "content-length": Buffer.byteLength(body),
    "retry-after": "1",
  };
  const handlers = app.server.listeners("request");
  app.server.removeAllListeners("request");
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === method && isMeant(request.url ?? "") && isOverloaded()) {
      logRefusal(overload);
      response.writeHead(503, headers).end(body);
    } else {
      for (const handler of handlers) handler.call(app.server, request, response);
    }
  });
}
