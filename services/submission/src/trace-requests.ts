import { readTraceContext } from "@holdfast/domain";
import type { Span, Tracing } from "@holdfast/runtime";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The span of the request; null: it is not traced. */
    span: Span | null;
  }
}

/** What changes nothing: it is asked again and again, and belongs to no task's story. */
const isChange = ({ method, url }: FastifyRequest): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !/\/search(\?|$)/.test(url);

/**
 * Gives each request that may change something a span, which goes on with the caller's trace. The handler runs within
 * it. To be called before the routes are added.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest("span", null);
  if (!tracing.isOn) return;
  app.addHook("onRequest", (request, _, done) => {
    if (isChange(request)) request.span = spanOf(tracing, request);
    done();
  });
  // Not before the body is parsed: what reads it would lose the span.
  app.addHook("preHandler", (request, _, done) => {
    if (request.span === null) return done();
    return request.span.run(done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    request.span?.end(answerOf(reply));
    done();
  });
}

function spanOf(tracing: Tracing, request: FastifyRequest): Span {
  const { method, headers, params, routeOptions, protocol } = request;
  const route = routeOptions.url;
  return tracing.span(route === undefined ? method : `${method} ${route}`, {
    kind: "server",
    parent: readTraceContext(headers["traceparent"], headers["tracestate"]),
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "holdfast.task.id": (params as { readonly id?: string } | null)?.id,
      "url.path": request.url.split("?", 1)[0],
      "url.scheme": protocol,
    },
  });
}

/** A client's mistake is no failure of the service. */
const answerOf = ({ statusCode }: FastifyReply) => ({
  "http.response.status_code": statusCode,
  "error.type": statusCode >= 500 ? String(statusCode) : undefined,
});
