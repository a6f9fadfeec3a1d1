import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { Problem, problemBody, problemType, titleOf } from "./problem.ts";

/** What one client may occupy, however many it is. */
export interface HttpLimits {
  /** Connections at a time; a further one is closed at once. */
  readonly connections: number;
  /** Milliseconds in which a request must have arrived, with its body. */
  readonly requestTimeout: number;
}

export const defaultLimits: HttpLimits = { connections: 2_000, requestTimeout: 10_000 };

/** Bytes of all headers of a request together. */
const headerBytes = 16 * 1024;
const headers = 100;
/** Requests on one connection; it is closed with the last answer, so that load can move elsewhere. */
const requestsPerConnection = 10_000;
/** Requests that a connection may send before it has read the first answer. */
const pipelined = 64;
/** Milliseconds after which what is late is looked for. */
const longestCheckInterval = 1_000;
/** Milliseconds for a client to read why its connection is closed. */
const lingerFor = 1_000;

/** The options of fastify that limit connections and requests. */
export const serverOptions = ({ requestTimeout }: HttpLimits) => ({
  requestTimeout,
  // An order that waits, and then takes all the time that the store may take.
  connectionTimeout: requestTimeout + 20_000,
  maxRequestsPerSocket: requestsPerConnection,
  http: {
    // Node checks both; with a longer one for headers it would apply that to bodies.
    headersTimeout: requestTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(longestCheckInterval, requestTimeout / 4),
    maxHeaderSize: headerBytes,
  },
});

/** The requests of one connection that have no answer yet. */
interface Unanswered {
  count: number;
  last: IncomingMessage;
}

/**
 * Limits connections, headers and pipelining, and answers what Node's parser refuses with a problem
 * like any other.
 */
export function guardConnections(app: FastifyInstance, { connections }: HttpLimits): void {
  const unanswered = new WeakMap<Socket, Unanswered>();
  app.server.maxConnections = connections;
  // Node would drop the headers beyond its limit in silence, an Idempotency-Key among them.
  app.server.maxHeadersCount = 0;

  app.addHook("onRequest", ({ raw }, reply, done) => {
    const known = unanswered.get(raw.socket) ?? { count: 0, last: raw };
    known.count += 1;
    known.last = raw;
    unanswered.set(raw.socket, known);
    reply.raw.once("close", () => {
      known.count -= 1;
    });
    if (known.count > pipelined) {
      void reply.hijack();
      raw.socket.destroy();
    } else if (raw.rawHeaders.length > 2 * headers) {
      done(
        new Problem(431, "request.headers_too_large", `There are more than ${headers} headers.`),
      );
    } else done();
  });

  const refused = new WeakSet<Socket>();
  app.server.removeAllListeners("clientError");
  app.server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // What follows on the connection is refused again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const { count, last } = unanswered.get(socket) ?? { count: 0, last: null };
    const isBetweenRequests = count === 0 && (last === null || last.complete);
    const isOfTheOnlyRequest = count === 1 && last?.complete === false;
    // An answer to one request must not be taken for that to another one.
    if (socket.writable && (isBetweenRequests || isOfTheOnlyRequest)) {
      refuse(socket, toProblem(error));
    } else {
      socket.destroy();
    }
  });
  app.server.on("checkExpectation", (_, response) => {
    const problem = new Problem(417, "request.expectation_failed", "Only 100-continue is met.");
    const body = problemBody(problem);
    const length = Buffer.byteLength(body);
    response.writeHead(417, { "content-type": problemType, "content-length": length }).end(body);
  });
}

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(
    431,
    "request.headers_too_large",
    `The URL and the headers are longer than ${headerBytes} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(
    408,
    "request.timeout",
    "The request did not arrive in time.",
  ),
};

const toProblem = ({ code = "" }: NodeJS.ErrnoException): Problem =>
  problems[code] ?? new Problem(400, "request.malformed", "This is no HTTP request.");

/** Answers on the bare connection, and closes it once the client has read that. */
function refuse(socket: Socket, problem: Problem): void {
  const body = problemBody(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${titleOf(problem.status)}`,
      `content-type: ${problemType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  const timer = setTimeout(() => socket.destroy(), lingerFor);
  socket.once("close", () => clearTimeout(timer));
}
