import type { ServerResponse } from "node:http";
import { type Held, onGone } from "@holdfast/runtime/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** An event as it is sent: see the EventSource of the WHATWG. */
interface StreamEvent {
  /** What a client shows to go on after it, as `Last-Event-ID`. */
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** One client that reads events. Nothing of it throws when the client is gone. */
export interface EventStream {
  send(event: StreamEvent): void;
  /** Sends what was written once for many clients. */
  sendWritten(event: Buffer): void;
  /**
   * A line that clients skip: it shows that the connection lives, and people what is the matter.
   */
  comment(text: string): void;
  end(): void;
  /** Bytes that the client has not read. */
  readonly unread: number;
  /** Ends the connection without a word: the client comes again, and goes on where it was. */
  drop(): void;
}

interface Owner {
  /** Counts bytes that wait to be read. */
  readonly hold: (bytes: number) => Held;
  /** Called once the client is gone, or the stream has ended. */
  readonly closed: () => void;
}

/** Milliseconds after which a browser connects again. */
const retryAfter = 1_000;

/** Answers a request with a stream of events. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { hold, closed }: Owner,
): EventStream {
  const { raw } = reply;
  void reply.hijack();
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    connection: "close",
  });
  // Sent with the first event otherwise, which may be long in coming.
  raw.write(`retry: ${retryAfter}\n\n`);
  raw.on("error", () => {});
  const put = counted(raw, hold);
  onGone(request.raw, raw, () => {
    put.stop();
    closed();
  });
  let waiting = "";
  let held: Held | null = null;
  const flush = (): void => {
    const text = waiting;
    waiting = "";
    held?.release();
    held = null;
    if (text !== "") put.write(text);
  };
  // What is sent at a time goes out in one piece.
  const write = (text: string): void => {
    if (waiting === "") process.nextTick(flush);
    waiting += text;
    held?.release();
    held = hold(waiting.length);
  };
  return {
    send: (event) => write(textOf(event)),
    sendWritten(event) {
      flush();
      put.write(event);
    },
    comment: (text) => write(`: ${text}\n\n`),
    end() {
      flush();
      raw.end();
    },
    get unread() {
      return raw.writableLength + waiting.length;
    },
    drop: () => void raw.destroy(),
  };
}

/** Writes pieces, each of which is held until the client has read it, or is gone. */
function counted(raw: ServerResponse, hold: Owner["hold"]) {
  const unread = new Set<Held>();
  let isGone = false;
  return {
    write(piece: string | Buffer): void {
      if (isGone || raw.writableEnded) return;
      const held = hold(Buffer.byteLength(piece));
      unread.add(held);
      raw.write(piece, () => {
        held.release();
        unread.delete(held);
      });
    },
    stop(): void {
      isGone = true;
      for (const held of unread) held.release();
    },
  };
}

/** Writes an event that is the same for many clients. */
export const writeEvent = (event: StreamEvent): Buffer => Buffer.from(textOf(event));

/** JSON has no line breaks but escaped ones, so that one line of data is enough. */
function textOf({ id, event, data }: StreamEvent): string {
  const place = id === undefined ? "" : `id: ${id}\n`;
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
