import { limits } from "@holdfast/contracts";
import { overload } from "@holdfast/runtime";
import type { FastifyInstance } from "fastify";

/** An order is rarely larger; connections bound how many of these arrive at a time. */
const small = 16 * 1024;
/** Bytes of all larger bodies that arrive at a time. */
const largeAtATime = 32 * 1024 * 1024;

/**
 * Bounds the memory of bodies that have not arrived yet: each client may send a part of one and wait.
 * Beyond it large bodies are answered 503; small ones are still taken.
 */
export function boundBodies(app: FastifyInstance): void {
  let arriving = 0;
  app.addHook("onRequest", ({ headers, raw }, _reply, done) => {
    // The size of a chunked body is unknown before its end.
    const chunked = headers["transfer-encoding"] === undefined ? 0 : limits.payloadBytes;
    const bytes = Math.min(Number(headers["content-length"] ?? chunked), limits.payloadBytes);
    if (bytes <= small) return done();
    if (arriving + bytes > largeAtATime) return done(overload);
    arriving += bytes;
    raw.once("close", () => {
      arriving -= bytes;
    });
    return done();
  });
}
