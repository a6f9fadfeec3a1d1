import type { Socket } from "node:net";
import type { Connection } from "./connections.ts";
import { type ProblemText, problemBody, problemType, titleOf } from "./problem-text.ts";
import { safeHeaders } from "./safe-headers.ts";

/** Bytes of all headers of a request together. */
export const headerBytes = 16 * 1024;
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

/** Answers what Node's parser refuses, where the answer cannot be taken for that to another request. */
export function refuseUnread(connectionOf: (socket: Socket) => Connection | undefined) {
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
  const body = problemBody(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${titleOf(problem.status)}`,
      `content-type: ${problemType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(safeHeaders).map(([name, value]) => `${name}: ${value}`),
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  const timer = setTimeout(() => socket.destroy(), lingerFor);
  socket.once("close", () => clearTimeout(timer));
}
