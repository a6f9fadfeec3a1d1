import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import proxy from "@fastify/http-proxy";
import {
  defaultLimits,
  type Guard,
  type GuardOptions,
  guardedOptions,
  noRoom,
  onGone,
  openGuard,
  problemBody,
  problemType,
} from "@holdfast/runtime/http";
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from "fastify";
import { consoleRoutes } from "./console-routes.ts";

interface ConsoleOptions {
  /** The address to which requests to `/v1` go. */
  readonly apiUrl: string;
  /** What clients may hold of this server. */
  readonly limits?: GuardOptions;
  readonly log: FastifyBaseLogger;
}

/** Bytes of the largest body that the API takes. */
const bodyBytes = 256 * 1024;

/** The page and, at the same origin, the API: browsers need no other address and no CORS. */
export function openConsole({
  apiUrl,
  limits = defaultLimits,
  log,
}: ConsoleOptions): FastifyInstance & AsyncDisposable {
  const guard = openGuard({ ...limits, bodyBytes });
  const app = fastify({
    ...guardedOptions(guard),
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    bodyLimit: bodyBytes,
    forceCloseConnections: "idle",
  });
  consoleRoutes(app);
  app.get("/", async (_, reply) => reply.redirect("/console/", 302));
  app.register(async (scope) => {
    takeWholeBodies(scope, guard);
    scope.register(proxy, {
      upstream: apiUrl,
      prefix: "/v1",
      rewritePrefix: "/v1",
      proxyPayloads: false,
      // Connections of this server bound those to the API: a stream keeps one for hours.
      undici: { connections: limits.connections },
      replyOptions: {
        rewriteRequestHeaders: (
          { raw },
          // The body is here: nothing has to wait for it any more.
          { origin: _origin, "transfer-encoding": _chunked, expect: _met, ...headers },
        ) => ({
          ...headers,
          // The API counts by the address of the browser, where TRUSTED_PROXIES names this service.
          "x-forwarded-for": guard.callerOf(raw as IncomingMessage).address,
        }),
        onError: (reply) =>
          void reply.code(502).type(problemType).send(problemBody(unreachable, reply.request.id)),
      },
    });
  });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

/**
 * Passes a body on once it is here: a client that never ends one would keep a connection to the
 * API. It counts as memory of its address until the API has answered.
 */
function takeWholeBodies(app: FastifyInstance, { memory, callerOf }: Guard): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.addHook("preValidation", async (request, reply) => {
    const { raw, body } = request;
    if (!Buffer.isBuffer(body)) return;
    const held = memory.take(callerOf(raw), body.length);
    if (held === null) {
      const problem = problemBody(noRoom, request.id);
      return reply.code(503).header("retry-after", "1").type(problemType).send(problem);
    }
    onGone(raw, reply.raw, held.release);
    // The proxy would write anything but a stream as JSON once more.
    request.body = Readable.from([body]);
  });
}

const unreachable = {
  status: 502,
  code: "console.api_unreachable",
  message:
    "The console does not reach the API: check API_URL, and that the submission service runs.",
} as const;
