import { isUtf8 } from "node:buffer";
import type { Health } from "@holdfast/runtime";
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from "fastify";
import { Problem, sendProblem } from "./problem.ts";

/** The HTTP server with its limits, its answers to errors, and the two probes. */
export function openHttp(
  health: Health,
  log: FastifyBaseLogger,
): FastifyInstance & AsyncDisposable {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    requestTimeout: 10_000,
    connectionTimeout: 15_000,
    forceCloseConnections: "idle",
    // As it comes, or not at all: nothing is turned into what it might have meant.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
  });
  app.removeContentTypeParser("text/plain");
  takeUtf8Only(app);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(({ method, url }) => {
    throw new Problem(404, "request.no_route", `There is no ${method} ${url}.`);
  });
  app.get("/health/live", (_, reply) => {
    const { status, body } = health.live();
    return reply.code(status).send(body);
  });
  app.get("/health/ready", async (_, reply) => {
    const { status, body } = await health.ready();
    return reply.code(status).send(body);
  });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

/** Bytes that are no UTF-8 would otherwise be replaced, and nobody told. */
function takeUtf8Only(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  const options = { parseAs: "buffer" } as const;
  app.addContentTypeParser("application/json", options, (request, body: Buffer, done) => {
    if (isUtf8(body)) return parse(request, body.toString("utf8"), done);
    return done(new Problem(400, "request.not_json", "The body is not JSON in UTF-8."));
  });
}
