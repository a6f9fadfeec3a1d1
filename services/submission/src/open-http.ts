import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { changesOf, limits, storableText, withinDepth } from "@holdfast/contracts";
import { type Health, overload, turns } from "@holdfast/runtime";
import {
  defaultLimits,
  type Guard,
  guardedOptions,
  nameRequest,
  openGuard,
  problemBody,
  problemType,
  requestIdHeader,
  safeHeaders,
} from "@holdfast/runtime/http";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from "fastify";
import { Type } from "typebox";
import { describe } from "./api/describe.ts";
import { openDocument } from "./api/document.ts";
import { readLimit } from "./api/pages.ts";
import { namedSchemas } from "./api/schemas.ts";
import { lazyValidators } from "./lazy-validators.ts";
import {
  changedJson,
  invalidRequest,
  type JudgedPart,
  type LogRefusal,
  noRoute,
  Problem,
  sendProblem,
  storeOutage,
  toProblem,
} from "./problem.ts";
import { boundAnswers, bytesAsValues, roomFor, smallBytes } from "./room.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Bounds what each client holds. */
    guard: Guard;
    /** Refuses requests of a route under overload, at the least possible cost. */
    refuseEarly(refusal: EarlyRefusal): void;
  }
  interface FastifyRequest {
    /** The bytes of its body. */
    bodyBytes: number;
    /** The answer, for what reads the body and is given the request alone. */
    answer: FastifyReply;
  }
}

/** The HTTP server with its limits, its answers to errors, and the two probes. */
export function openHttp(
  health: Pick<Health, "live" | "ready">,
  log: FastifyBaseLogger,
  guard: Guard = openGuard({ ...defaultLimits, bodyBytes: limits.payloadBytes }),
): FastifyInstance & AsyncDisposable {
  const logRefusal = logRefusals(log);
  const outage = storeOutage();
  const onError = sendProblem(logRefusal, outage);
  const app = fastify({
    ...guardedOptions(guard),
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    bodyLimit: limits.payloadBytes,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => void onError(error, request, reply),
    // As it comes, or not at all: nothing but the limit of a page is turned into what it might have
    // meant.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        allErrors: false,
        // An error has the schema of its field, which says what that must be.
        verbose: true,
      },
    },
    schemaController: { compilersFactory: { buildValidator: lazyValidators() } },
  });
  // The schemas of answers describe them, and do not change what is sent.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  for (const schema of namedSchemas) app.addSchema(schema);
  openDocument(app);
  app.decorate("guard", guard);
  app.decorate("refuseEarly", (refusal: EarlyRefusal) => refuseEarly(app, refusal, logRefusal));
  takeStorableTexts(app);
  takeLimits(app);
  takeJsonOnly(app);
  boundAnswers(app);
  app.addHook("onResponse", ({ method, routeOptions: { url } }, { statusCode }, done) => {
    // What is no route of the API does not ask the store.
    if (statusCode < 300 && url?.startsWith("/v1/") === true) outage.answered(method);
    done();
  });
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request) => {
    throw noRoute(request);
  });
  // In a scope of their own: by then the document listens to new routes.
  app.register(async (scope) => probeRoutes(scope, health));
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

const probe = (id: string, summary: string) => ({
  schema: describe({
    id,
    tag: "service",
    summary,
    isOpen: true,
    answers: { "200": { words: "Yes.", schema: Type.Object({}) } },
  }),
});

/** Whether the process runs, and whether it can do its work. */
function probeRoutes(app: FastifyInstance, health: Pick<Health, "live" | "ready">): void {
  app.get("/health/live", probe("getLive", "Whether the process runs."), (_, reply) => {
    const { status, body } = health.live();
    return reply.code(status).send(body);
  });
  const ready = probe(
    "getReady",
    "Whether the process can do its work. 503 while it cannot; the body says why.",
  );
  app.get("/health/ready", ready, async (_, reply) => {
    const { status, body } = await health.ready();
    return reply.code(status).send(body);
  });
}

/**
 * The store is asked with texts of a path and of a query. It keeps none with a NUL or half a
 * character, and takes none.
 */
function takeStorableTexts(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _, done) => {
    const texts = [request.params, request.query].flatMap((part) => Object.entries(part ?? {}));
    const [name] = texts.find(([, text]) => !isStorable(text)) ?? [];
    if (name === undefined) return done();
    const detail = "must not contain a NUL or half a character";
    done(invalidRequest([{ pointer: `/${name}`, detail }]));
  });
}

/** A query is texts: the limit of a page is read as the number that its schema asks for. */
function takeLimits(app: FastifyInstance): void {
  app.addHook("preValidation", (request, _, done) => {
    const query = request.query as { limit?: unknown };
    if (query.limit !== undefined) query.limit = readLimit(query.limit);
    done();
  });
}

const isStorable = (value: unknown): boolean =>
  [value]
    .flat()
    .every((text) => typeof text !== "string" || storableText(text, text.length) === text);

/**
 * JSON in UTF-8, as it is: bytes that are no UTF-8 would otherwise be replaced without an error.
 */
function takeJsonOnly(app: FastifyInstance): void {
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("answer");
  app.removeContentTypeParser("text/plain");
  const careful = app.getDefaultJsonParser("error", "error");
  // An input, or a signal, is judged by the rules of all ways in, which refuse such fields with
  // their place.
  const plain = app.getDefaultJsonParser("ignore", "ignore");
  const options = { parseAs: "buffer" } as const;
  app.addContentTypeParser("application/json", options, (request, body: Buffer, done) => {
    request.bodyBytes = body.length;
    if (!isUtf8(body)) {
      return done(new Problem(400, "request.not_json", "The body is not JSON in UTF-8."));
    }
    const judged = judgedIn(request);
    const parse = judged === null ? careful : plain;
    const pieces = readPieces(body, (text) => parsedBy(parse, request, text), judged);
    if (body.length > smallBytes) return readInTurns(request, body, pieces);
    const read: { fault: Error | null; json?: unknown } = { fault: null };
    try {
      read.json = lastOf(pieces);
    } catch (error) {
      read.fault = error as Error;
    }
    return done(read.fault, read.json);
  });
  app.addHook("onRequest", (request, reply, done) => {
    request.answer = reply;
    const { headers } = request;
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      void reply.header("accept-encoding", "identity");
      return done(
        new Problem(
          415,
          "request.content_encoding_unsupported",
          "The body must not be compressed: send it without content-encoding.",
        ),
      );
    }
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers["content-type"] ?? "")?.[1];
    if (charset === undefined || /^utf-?8$/i.test(charset)) return done();
    return done(
      new Problem(
        415,
        "request.charset_unsupported",
        "The body must be JSON in UTF-8: send it without another charset.",
      ),
    );
  });
}

/**
 * Reads a body in pieces, of which each takes long for a large one. Throws what is wrong with it.
 */
function* readPieces(
  body: Buffer,
  parse: (text: string) => unknown,
  judged: JudgedPart | null,
): Generator<void, unknown> {
  const { text, shape } = withinDepth(body);
  yield;
  const json = parse(text.toString("utf8"));
  yield;
  const faults = changesOf(text, json, shape);
  if (faults.length > 0) throw changedJson(faults, judged);
  yield;
  return json;
}

function lastOf<Result>(pieces: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/**
 * Reads a large body once there is room for it: each piece has a turn of the event loop, which it
 * shares with no other body.
 */
async function readInTurns<Result>(
  request: FastifyRequest,
  body: Buffer,
  pieces: Generator<void, Result>,
): Promise<Result> {
  await turns.next();
  await roomFor(request, request.answer)(bytesAsValues(body));
  for (;;) {
    await turns.next();
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

type JsonParser = ReturnType<FastifyInstance["getDefaultJsonParser"]>;

/** What a parser of the server, which answers at once, makes of a text. */
function parsedBy(parse: JsonParser, request: FastifyRequest, text: string): unknown {
  const read: { fault: Error | null; json?: unknown } = { fault: null };
  void parse(request, text, (fault, json) => Object.assign(read, { fault, json }));
  if (read.fault !== null) throw read.fault;
  return read.json;
}

/** Routes whose bodies have a part that a workflow judges, and where that stands. */
const judgedParts: Readonly<Record<string, JudgedPart>> = {
  "/v1/tasks": { pointer: "/input", is: "input" },
  "/v1/:collection": { pointer: "", is: "input" },
  "/v1/tasks/:id/signals/:name": { pointer: "/payload", is: "signal" },
  "/v1/signals/:name": { pointer: "/payload", is: "signal" },
  "/v1/tasks/:id/steps/:step/decision": { pointer: "/form", is: "form" },
};

/** The part of a body that a workflow judges; null: there is none. */
const judgedIn = ({ method, routeOptions: { url = "" } }: FastifyRequest): JudgedPart | null =>
  method === "POST" && Object.hasOwn(judgedParts, url) ? judgedParts[url]! : null;

/** Milliseconds. */
const interval = 1_000;

/**
 * Logs requests that were answered 503: the first one at once, and then, once a second, how many
 * there were. Each by itself would fill the disk under overload.
 */
function logRefusals(log: Pick<FastifyBaseLogger, "warn">): LogRefusal {
  let refused = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (err, requestId) => {
    refused += 1;
    const now = performance.now();
    if (now - loggedAt < interval) return;
    log.warn({ err, refused, requestId }, "requests refused");
    refused = 0;
    loggedAt = now;
  };
}

/** A route that refuses requests under overload. */
interface EarlyRefusal {
  readonly method: string;
  /** Whether a request is one of the route, by its URL as it was sent, with its query. */
  readonly isMeant: (url: string) => boolean;
  readonly isOverloaded: () => boolean;
}

/**
 * Answers 503 before the framework sees the request. Under overload there are several refusals for
 * each task that is taken, and what they cost is missing for the others: half of what the framework
 * needs.
 */
function refuseEarly(
  app: FastifyInstance,
  { method, isMeant, isOverloaded }: EarlyRefusal,
  logRefusal: LogRefusal,
): void {
  const problem = toProblem(overload);
  const headers = { ...safeHeaders, "content-type": problemType, "retry-after": "1" };
  const handlers = app.server.listeners("request");
  app.server.removeAllListeners("request");
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === method && isMeant(request.url ?? "") && isOverloaded()) {
      const requestId = nameRequest(request);
      logRefusal(overload, requestId);
      const body = problemBody(problem, requestId);
      const own = { "content-length": Buffer.byteLength(body), [requestIdHeader]: requestId };
      const last = app.server.listening ? {} : { connection: "close" };
      response.writeHead(503, { ...headers, ...own, ...last }).end(body);
    } else {
      for (const handler of handlers) handler.call(app.server, request, response);
    }
  });
}
