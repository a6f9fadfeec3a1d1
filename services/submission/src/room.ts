import type { Milliseconds } from "@holdfast/domain";
import { type Held, onGone } from "@holdfast/runtime/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Memory that it has reserved; null: it is small. */
    held: Held | null;
  }
}

/**
 * Reserves memory for something large, before it is read. Throws `request.overload` when there is
 * none.
 */
export type MakeRoom = (bytes: number) => Promise<void> | void;

/** Bytes; what is smaller is bounded by the number of connections. */
export const smallBytes = 16 * 1024;
/**
 * Bytes of the payloads of a task that are read at a time; those of a larger task are passed on as
 * text, in parts.
 */
export const wholeBytes = 512 * 1024;
/**
 * What a byte of a row takes at most while it is text, values and an answer: an empty list takes
 * most.
 */
export const unpacked = 16;
/** The time for which a request waits for memory. */
const timeout: Milliseconds = 10_000;

/** Has large answers take no more memory than there is, until they are sent. */
export function boundAnswers(app: FastifyInstance): void {
  app.decorateRequest("held", null);
  app.addHook("onSend", (request, _reply, payload, done) => {
    // From here on it is text alone.
    if (typeof payload === "string") request.held?.shrinkTo(Buffer.byteLength(payload));
    done();
  });
}

/**
 * Reserves memory for a request until it is answered: waits for it, in place of an earlier
 * reservation.
 */
export const roomFor =
  (request: FastifyRequest, reply: FastifyReply): ((amount: number) => Promise<void>) =>
  async (amount) => {
    request.held?.release();
    const { memory, callerOf } = request.server.guard;
    const held = await memory.wait(callerOf(request.raw), amount, {
      timeout,
      onGone: (leave) => onGone(request.raw, reply.raw, leave),
    });
    request.held = held;
    onGone(request.raw, reply.raw, held.release);
  };

/** Makes room for rows of so many bytes. */
export const roomForRows =
  (request: FastifyRequest, reply: FastifyReply): MakeRoom =>
  (bytes) =>
    roomFor(request, reply)(bytes * unpacked);

/** Bytes of a page of rows that is not small. */
const pageBytes = 512 * 1024;

/** Reads a page of rows: a small one at once, and one that goes on beyond that once it has room. */
export async function pageInRoom<Page extends { readonly isFull: boolean }>(
  makeRoom: MakeRoom,
  read: (mostBytes: number) => Promise<Page>,
): Promise<Page> {
  const page = await read(smallBytes);
  if (!page.isFull) return page;
  await makeRoom(pageBytes);
  return read(pageBytes);
}

/**
 * What a body of JSON takes as text and as values: a list or an object in it takes far more than
 * the bracket that it is written as. Called for large bodies only.
 */
export function bytesAsValues(body: Uint8Array): number {
  let values = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === comma || byte === bracket || byte === brace) values += 1;
  }
  return 3 * body.length + 56 * values;
}

const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;
