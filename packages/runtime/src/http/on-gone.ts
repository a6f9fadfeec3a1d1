import type { IncomingMessage, ServerResponse } from "node:http";

/** Calls back once the client no longer waits, and never before the caller has gone on: what it makes is there then. */
export function onGone(
  { socket }: Pick<IncomingMessage, "socket">,
  response: Pick<ServerResponse, "once">,
  call: () => void,
): void {
  if (socket.destroyed) process.nextTick(call);
  else response.once("close", call);
}
