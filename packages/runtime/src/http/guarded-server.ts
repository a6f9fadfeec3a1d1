import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { addressBlock, callerAddress, isLoopback, noProxies, type Proxies } from "./addresses.ts";
import { type Connection, openConnections } from "./connections.ts";
import { allowOrigin, answerPreflight, noOrigins, type Origins } from "./cors.ts";
import { serveFaultPage } from "./fault-pages.ts";
import { misdirection } from "./local-names.ts";
import { type ProblemText, problemBody, problemType, titleOf } from "./problem-text.ts";
import { nameRequest, newRequestId, requestIdHeader } from "./request-id.ts";
import { type Caller, openShares, type Shares } from "./shares.ts";

/** What all clients, and each of them, may occupy of an HTTP server. */
export interface GuardOptions {
  /** Connections at a time; a further one is closed at once. */
  readonly connections: number;
  /** Milliseconds in which a request must have arrived, with its body. */
  readonly requestTimeout: number;
  /** Percent of connections, streams, waits and bytes that one address may hold. */
  readonly addressShare: number;
  /** Bytes of the largest body: a chunked one counts as that much. */
  readonly bodyBytes?: number;
  /** Bytes that bodies as values and unread answers may take. */
  readonly memory?: number;
  readonly proxies?: Proxies;
  /** Names besides those of loopback that a server on loopback answers to. */
  readonly names?: ReadonlySet<string>;
  /** Pages of other origins that may ask; none unless given. */
  readonly origins?: Origins;
  /** Milliseconds that clients have for what they began when a server closes; then they are cut. */
  readonly closeWithin?: number;
  /** Whether a request shows the right operators' token. Operators have a reserve of everything. */
  readonly isOperator?: (headers: IncomingHttpHeaders) => boolean;
}

/** Makes HTTP servers that share one set of limits. */
export interface Guard {
  readonly server: (handler: RequestListener) => Server;
  readonly callerOf: (request: IncomingMessage) => Caller;
  /** Divides `most` of something among callers, as the guard divides connections. */
  readonly shares: (most: number) => Shares;
  /** Bytes of large bodies as values, and of answers that wait to be sent. */
  readonly memory: Shares;
}

/**
 * Headers of every answer that says nothing else: browsers guess no type, and nothing on the way
 * keeps it.
 */
export const safeHeaders = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;
const safeEntries = Object.entries(safeHeaders);

export const defaultLimits = {
  connections: 2_000,
  requestTimeout: 10_000,
  addressShare: 25,
  closeWithin: 5_000,
} as const satisfies GuardOptions;

const mostHeaders = 100;
/** Bytes of all headers of a request together. */
const headerBytes = 16 * 1024;
/**
 * Requests on one connection; it is closed with the last answer, so that load can move elsewhere.
 */
const requestsPerConnection = 10_000;
/** Requests of one connection that handlers work on: the next ones wait. */
const atOnce = 2;
/** Requests that a connection may send before it has read the first answer. */
const pipelined = 16;
/** Milliseconds after which what is late is looked for. */
const longestCheckInterval = 1_000;
/** Milliseconds that a connection without a request is kept. */
const keepAlive = 72_000;
/**
 * Milliseconds that one without a request is kept when its server closes: a request may be on its
 * way.
 */
const requestWithin = 1_000;
/** A request that waits, and then takes all the time that the store may take. */
const workFor = 20_000;
/** Percent of everything that only operators get. */
const reserve = 10;
/** Bytes; a body is rarely larger, and connections bound how many of these arrive at a time. */
const smallBody = 16 * 1024;
/** Bytes of all larger bodies that arrive at a time. */
const arrivingBytes = 32 * 1024 * 1024;
const memoryBytes = 64 * 1024 * 1024;
/** Bytes of a request that waits for its turn, without its headers. */
const waitingRequest = 2 * 1024;

/**
 * Bounds what clients hold of the HTTP servers that it makes, each address by its share:
 * connections, slow heads and bodies, requests that are sent before the last one is answered. On
 * loopback it refuses other names of this host. Everything that its servers refuse is a problem
 * like any other, and they have the pages about all codes. Every answer carries the name of its
 * request.
 */
export function openGuard(options: GuardOptions): Guard {
  const { connections, addressShare, memory = memoryBytes } = options;
  const { proxies = noProxies, isOperator } = options;
  const kept = isOperator === undefined ? 0 : reserve;
  const shares = (most: number): Shares => openShares({ most, addressShare, reserve: kept });
  const callerOf = openCallers(proxies, isOperator);
  const parts: Parts = {
    options,
    callerOf,
    memory: shares(memory),
    bodies: shares(arrivingBytes),
    connections: openConnections({
      most: connections,
      reserved: Math.floor((connections * kept) / 100),
      ofOne: Math.max(1, Math.floor((connections * addressShare) / 100)),
      proxies,
    }),
  };
  return {
    server: (handler) => guardedServer(parts, handler),
    callerOf,
    shares,
    memory: parts.memory,
  };
}

/** The options by which fastify takes a guarded server instead of making one. */
export const guardedOptions = (guard: Guard) => ({
  serverFactory: guard.server,
  // The guard answers what is no request.
  clientErrorHandler: (): void => {},
  genReqId: nameRequest,
});

/**
 * Calls back once the client no longer waits, and never before the caller has gone on: what it
 * makes is there then.
 */
export function onGone(
  { socket }: Pick<IncomingMessage, "socket">,
  response: Pick<ServerResponse, "once">,
  call: () => void,
): void {
  if (socket.destroyed) process.nextTick(call);
  else response.once("close", call);
}

interface Parts {
  readonly options: GuardOptions;
  readonly callerOf: Guard["callerOf"];
  readonly memory: Shares;
  readonly bodies: Shares;
  readonly connections: ReturnType<typeof openConnections>;
}

/** The one place in which an HTTP server is made. */
function guardedServer(parts: Parts, handler: RequestListener): Server {
  const { connections: most, requestTimeout, origins = noOrigins } = parts.options;
  const { closeWithin = defaultLimits.closeWithin } = parts.options;
  let isLocal = false;
  const server: Server = createServer(
    {
      // Node checks both; with a longer one for headers it would apply that to bodies.
      headersTimeout: requestTimeout,
      requestTimeout,
      connectionsCheckingInterval: Math.min(longestCheckInterval, requestTimeout / 4),
      maxHeaderSize: headerBytes,
      keepAliveTimeout: keepAlive,
    },
    (request, response) => {
      takeTurn(parts, request, response, () => {
        const requestId = nameRequest(request);
        if (!server.listening) response.setHeader("connection", "close");
        // A refusal is to be read by the page, too.
        allowOrigin(request, response, origins);
        const problem = server.listening ? refusalOf(parts, request, isLocal) : stopping;
        if (problem !== null) return send(response, problem, requestId);
        response.setHeader(requestIdHeader, requestId);
        for (const [name, value] of safeEntries) response.setHeader(name, value);
        if (answerPreflight(request, response, origins)) return;
        if (!serveFaultPage(request, response)) handler(request, response);
      });
    },
  );
  server.maxConnections = most;
  // Node would drop the headers beyond its limit in silence, an Idempotency-Key among them.
  server.maxHeadersCount = 0;
  server.maxRequestsPerSocket = requestsPerConnection;
  server.setTimeout(requestTimeout + workFor);
  server.on("listening", () => {
    const { address } = server.address() as AddressInfo;
    isLocal = isLoopback(address);
  });
  server.on("connection", (socket) => parts.connections.meet(socket));
  server.on("clientError", refuseUnread(parts.connections.of));
  server.on("checkExpectation", (request, response) =>
    send(response, expectationFailed, nameRequest(request)),
  );
  closeInTime(server, { connectionOf: parts.connections.of, closeWithin });
  return server;
}

interface Closing {
  readonly connectionOf: (socket: Socket) => Connection | undefined;
  readonly closeWithin: number;
}

/**
 * Has a server that closes end each connection with its last answer. Node would keep one on which a
 * request was being answered for as long as an idle one, and one that never had a request for ever;
 * and it would cut an answer that is written and not sent yet.
 */
function closeInTime(server: Server, { connectionOf, closeWithin }: Closing): void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const answersOn = (socket: Socket) => [...(connectionOf(socket)?.unanswered ?? [])];
  const destroy = (isMeant: (socket: Socket) => boolean) => (): void => {
    for (const socket of sockets) if (isMeant(socket)) socket.destroy();
  };
  // Node calls it when it closes.
  server.closeIdleConnections = destroy((socket) => {
    const { last = null } = connectionOf(socket) ?? {};
    return last !== null && answersOn(socket).length === 0;
  });
  const close = server.close.bind(server);
  server.close = (closed) => {
    if (!server.listening) return close(closed);
    for (const socket of sockets) {
      const last = answersOn(socket).at(-1);
      if (last !== undefined) endWith(last, socket);
    }
    const timers = [
      setTimeout(
        destroy((socket) => answersOn(socket).length === 0),
        requestWithin,
      ),
      setTimeout(
        destroy(() => true),
        closeWithin,
      ),
    ];
    server.once("close", () => {
      for (const timer of timers) clearTimeout(timer);
    });
    return close(closed);
  };
}

/**
 * Ends a connection with this answer. A stream of events has no end of its own: its client connects
 * elsewhere.
 */
function endWith(answer: ServerResponse, socket: Socket): void {
  if (!answer.headersSent) answer.setHeader("connection", "close");
  const isStream = String(answer.getHeader("content-type")).startsWith("text/event-stream");
  if (answer.headersSent && isStream) socket.destroySoon();
  else answer.once("close", () => socket.destroySoon());
}

/**
 * Has a request wait while handlers work on others of its connection: each of them may have a large
 * answer, and Node keeps those that the client does not read.
 */
function takeTurn(
  { connections, callerOf, memory }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  const { socket } = request;
  const connection = connections.of(socket);
  if (connection === undefined) return void socket.destroy();
  connection.unanswered.add(response);
  connection.last = request;
  const run = (): void => {
    connection.running += 1;
    response.once("close", () => {
      connection.running -= 1;
      connection.unanswered.delete(response);
      if (!socket.destroyed) connection.waiting.shift()?.();
    });
    begin();
  };
  if (connection.running < atOnce) return run();
  const held = memory.take(callerOf(request), waitingRequest + bytesOf(request.rawHeaders));
  if (held === null || connection.unanswered.size > pipelined) {
    held?.release();
    return void socket.destroy();
  }
  response.once("close", held.release);
  connection.waiting.push(() => {
    held.release();
    run();
  });
}

const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0);

/** Why the request is not for a handler; null: it is. */
function refusalOf(
  { options, callerOf, bodies, connections }: Parts,
  request: IncomingMessage,
  isLocal: boolean,
): ProblemText | null {
  const { headers, rawHeaders, socket, url = "" } = request;
  if (rawHeaders.length > 2 * mostHeaders) return tooManyHeaders;
  const fault = isLocal ? misdirection(request, options) : null;
  if (fault !== null) return { status: 421, code: "request.misdirected", message: fault };
  if (connections.of(socket)?.isReserved === true) {
    if (callerOf(request).isOperator) connections.keep(socket);
    // A probe that fails would take the process out of service.
    else if (!url.startsWith("/health/")) return noRoom;
  }
  const bytes = bodyBytesOf(headers, options.bodyBytes ?? Number.POSITIVE_INFINITY);
  if (bytes <= smallBody) return null;
  const held = bodies.take(callerOf(request), bytes);
  if (held === null) return noRoom;
  request.once("close", held.release);
  return null;
}

/** What arrives at most. The size of a chunked body is unknown before its end. */
function bodyBytesOf(headers: IncomingHttpHeaders, most: number): number {
  const chunked = headers["transfer-encoding"] === undefined ? 0 : Math.min(most, arrivingBytes);
  return Math.min(Number(headers["content-length"] ?? chunked), most);
}

/** The answer to what exceeds the share of its address, or what is left for all. */
export const noRoom: ProblemText = {
  status: 503,
  code: "request.overload",
  message:
    "There is no room for this request now, or this address has its share already. Send the same request again, with the same Idempotency-Key.",
};
const stopping: ProblemText = {
  status: 503,
  code: "request.overload",
  message:
    "This process is stopping. Send the same request again, with the same Idempotency-Key: another process answers it.",
};
const tooManyHeaders: ProblemText = {
  status: 431,
  code: "request.headers_too_large",
  message: `There are more than ${mostHeaders} headers.`,
};
const expectationFailed: ProblemText = {
  status: 417,
  code: "request.expectation_failed",
  message: "Only 100-continue is met.",
};

function send(response: ServerResponse, problem: ProblemText, requestId: string): void {
  const body = problemBody(problem, requestId);
  response.writeHead(problem.status, {
    ...safeHeaders,
    [requestIdHeader]: requestId,
    "content-type": problemType,
    "content-length": Buffer.byteLength(body),
    ...(problem.status === 503 ? { "retry-after": "1" } : {}),
  });
  response.end(body);
}

/** Milliseconds for a client to read why its connection is closed. */
const lingerFor = 1_000;

const problems: Readonly<Record<string, ProblemText>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "request.headers_too_large",
    message: `The URL and the headers are longer than ${headerBytes} bytes.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request.timeout",
    message: "The request did not arrive in time.",
  },
};
const malformed: ProblemText = {
  status: 400,
  code: "request.malformed",
  message: "This is no HTTP request.",
};

/**
 * Answers what Node's parser refuses, where the answer cannot be taken for that to another request.
 */
function refuseUnread(connectionOf: (socket: Socket) => Connection | undefined) {
  const refused = new WeakSet<Socket>();
  return ({ code = "" }: NodeJS.ErrnoException, socket: Socket): void => {
    // What follows on the connection is refused again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const { unanswered, last } = connectionOf(socket) ?? { unanswered: { size: 0 }, last: null };
    const isBetweenRequests = unanswered.size === 0 && (last === null || last.complete);
    const isOfTheOnlyRequest = unanswered.size === 1 && last?.complete === false;
    if (socket.writable && (isBetweenRequests || isOfTheOnlyRequest)) {
      refuse(socket, problems[code] ?? malformed);
    } else {
      socket.destroy();
    }
  };
}

/** Answers on the bare connection, and closes it once the client has read that. */
function refuse(socket: Socket, problem: ProblemText): void {
  const requestId = newRequestId();
  const body = problemBody(problem, requestId);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${titleOf(problem.status)}`,
      `content-type: ${problemType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      ...safeEntries.map(([name, value]) => `${name}: ${value}`),
      `${requestIdHeader}: ${requestId}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  const timer = setTimeout(() => socket.destroy(), lingerFor);
  socket.once("close", () => clearTimeout(timer));
}

/** Says who sent a request. The token is looked at when it matters, once. */
function openCallers(
  proxies: Proxies,
  isOperator: (headers: IncomingHttpHeaders) => boolean = () => false,
): (request: IncomingMessage) => Caller {
  const callers = new WeakMap<IncomingMessage, Caller>();
  return (request) => {
    const known = callers.get(request);
    if (known !== undefined) return known;
    const { headers, socket } = request;
    const peer = socket.remoteAddress ?? "";
    const address = callerAddress(peer, headers["x-forwarded-for"], proxies);
    let isOne: boolean | null = null;
    const caller: Caller = {
      address,
      block: addressBlock(address),
      get isOperator() {
        isOne ??= isOperator(headers);
        return isOne;
      },
    };
    callers.set(request, caller);
    return caller;
  };
}
