import { pipeline, Readable } from "node:stream";
import { constants, createGzip, gzip } from "node:zlib";
import { encodingWeight, type Held, varyBy } from "@holdfast/runtime/http";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Bytes; what is smaller takes one or two packets, and compressed as well. */
const least = 1_024;
/**
 * Bytes that zlib takes for an answer besides its text: the window and the table of what occurred.
 */
const zlibBytes = 256 * 1024;
/** Each answer is compressed once, for one client: the fastest level has most of the gain. */
const level = constants.Z_BEST_SPEED;

const json = /^application\/(?:[\w.-]+\+)?json\b/;

/**
 * Compresses answers of JSON for clients that take gzip, in the threads of zlib. Where there is no
 * memory for that, the answer is sent as it is. Streams of events are not answers of JSON. To be
 * called before the routes are added.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!isWorthIt(reply, payload)) return done();
    varyBy(reply.raw, "accept-encoding");
    if (encodingWeight(request.headers["accept-encoding"], "gzip") === 0) return done();
    const { memory, callerOf } = app.guard;
    const held = memory.take(callerOf(request.raw), bytesFor(payload));
    if (held === null) return done();
    if (typeof payload !== "string") {
      markCompressed(reply);
      return done(null, compressParts(payload, held));
    }
    gzip(payload, { level }, (error, compressed) => {
      held.release();
      if (error !== null) return done();
      markCompressed(reply);
      // From here on the text is not needed.
      request.held?.shrinkTo(compressed.length);
      done(null, compressed);
    });
  });
}

const isWorthIt = (reply: FastifyReply, payload: unknown): payload is string | Readable =>
  (payload instanceof Readable || (typeof payload === "string" && payload.length >= least)) &&
  reply.getHeader("content-encoding") === undefined &&
  json.test(String(reply.getHeader("content-type")));

/** A text is there as bytes, too, and so is what becomes of it: in parts, and then as a whole. */
const bytesFor = (payload: string | Readable): number =>
  zlibBytes + (typeof payload === "string" ? 3 * Buffer.byteLength(payload) : 0);

function compressParts(parts: Readable, held: Held): Readable {
  // Each part goes out when it is written: the next one may be long in coming.
  const compressed = createGzip({ level, flush: constants.Z_SYNC_FLUSH });
  // A source that waits for the store closes later than this.
  compressed.once("close", held.release);
  // What fails in either breaks the answer off, as it does without.
  return pipeline(parts, compressed, () => {});
}

function markCompressed(reply: FastifyReply): void {
  // The same task in other bytes: an ETag that names bytes would have to differ (RFC 9110, 8.8.3).
  const etag = reply.getHeader("etag");
  if (typeof etag === "string" && etag.startsWith('"')) void reply.header("etag", `W/${etag}`);
  void reply.removeHeader("content-length");
  void reply.header("content-encoding", "gzip");
}
