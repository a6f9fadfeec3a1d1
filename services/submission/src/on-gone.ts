import type { FastifyReply, FastifyRequest } from "fastify";

/** Calls back when the client no longer waits, at once if it is gone already. */
export function onGone(request: FastifyRequest, reply: FastifyReply, call: () => void): void {
  if (request.raw.socket.destroyed) call();
  reply.raw.once("close", call);
}
