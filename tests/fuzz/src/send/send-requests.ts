import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HostileRequest } from "../inputs/input.ts";

/** An answer; null: the connection was closed without one. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: boolean;
  readonly body: string;
}

export interface RequestSender extends Disposable {
  /** Rejects with a `TimeoutError` when a whole request was neither answered nor hung up on. */
  send(url: string, request: HostileRequest): Promise<Answer | null>;
}

/** Milliseconds within which a whole request must be answered. */
const timeout = 20_000;
/**
 * Milliseconds that a damaged request is left to be answered, as it may not look whole to the
 * server.
 */
const damageTimeout = 1_000;

export function openRequestSender(connections: number): RequestSender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: (url, request) =>
      request.manner === "raw" || request.manner === "slow"
        ? sendBytes(url, request)
        : sendWhole(url, request, agent),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function sendWhole(
  url: string,
  { method, path, headers, body, manner }: HostileRequest,
  agent: Agent,
): Promise<Answer | null> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
  const length = manner === "whole" && body.length > 0 ? { "content-length": body.length } : {};
  const outgoing = httpRequest(
    { agent, hostname, port, method, path, headers: { ...headers, ...length } },
    (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", () => resolve(null));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"] !== undefined,
          body: Buffer.concat(pieces).toString(),
        }),
      );
    },
  );
  outgoing.setTimeout(timeout, () => {
    reject(new DOMException(`${method} ${path} was not answered`, "TimeoutError"));
    outgoing.destroy();
  });
  outgoing.on("upgrade", (_, socket) => {
    socket.destroy();
    resolve(null);
  });
  outgoing.on("error", () => resolve(null));
  if (manner === "chunked") outgoing.write(body.subarray(0, body.length >> 1));
  outgoing.end(manner === "chunked" ? body.subarray(body.length >> 1) : body);
  return promise;
}

/** Writes bytes as they are, and reads what comes back until it is a status line, or too late. */
async function sendBytes(url: string, request: HostileRequest): Promise<Answer | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let text = "";
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
    if (text.includes("\r\n\r\n")) resolve();
  });
  socket.on("error", () => resolve());
  socket.on("close", () => resolve());
  socket.write(request.manner === "slow" ? beginningOf(request) : request.body);
  await Promise.race([over, sleep(damageTimeout)]);
  socket.destroy();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  if (status === undefined) return null;
  return { status: Number(status), retryAfter: /\r\nretry-after:/i.test(text), body: "" };
}

/** The head and the half of the body: the rest never comes. */
function beginningOf({ method, path, headers, body }: HostileRequest): Buffer {
  const fields = Object.entries({ ...headers, "content-length": String(body.length + 100) });
  const head = [
    `${method} ${path} HTTP/1.1`,
    "host: fuzz",
    ...fields.map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body.subarray(0, body.length >> 1)]);
}
