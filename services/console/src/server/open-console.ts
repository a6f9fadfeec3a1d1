import proxy from "@fastify/http-proxy";
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from "fastify";
import { consoleRoutes } from "./console-routes.ts";

interface Options {
  /** Where requests to `/v1` go. */
  readonly apiUrl: string;
  readonly log: FastifyBaseLogger;
}

/** The page and, at the same origin, the API: browsers need no other address and no CORS. */
export function openConsole(options: Options): FastifyInstance & AsyncDisposable {
  const { apiUrl, log } = options;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  consoleRoutes(app);
  app.get("/", async (_, reply) => reply.redirect("/console/", 302));
  app.register(proxy, {
    upstream: apiUrl,
    prefix: "/v1",
    rewritePrefix: "/v1",
    replyOptions: {
      onError: (reply) =>
        void reply
          .code(502)
          .type("application/problem+json; charset=utf-8")
          .send(
            JSON.stringify({
              type: "about:blank",
              title: "Bad Gateway",
              status: 502,
              code: "console.api_unreachable",
              detail:
                "The console does not reach the API: check API_URL, and that the submission service runs.",
            }),
          ),
    },
  });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}
