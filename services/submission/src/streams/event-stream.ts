import type { FastifyReply, FastifyRequest } from "fastify";
import { onGone } from "../on-gone.ts";

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
  /** A line that clients skip: it shows that the connection lives, and people what is the matter. */
  comment(text: string): void;
  end(): void;
  /** Bytes that the client has not read. */
  readonly unread: number;
  /** Ends the connection without a word: the client comes again, and goes on where it was. */
  drop(): void;
}

/** Milliseconds after which a browser connects again. */
const retryAfter = 1_000;

/** Answers a request with a stream of events. `closed` is called once the client is gone, or the stream has ended. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  closed: () => void,
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
  onGone(request, reply, closed);
  let waiting = "";
  const flush = (): void => {
    if (waiting !== "" && !raw.destroyed && !raw.writableEnded) raw.write(waiting);
    waiting = "";
  };
  // What is sent at a time goes out in one piece.
  const write = (text: string): void => {
    if (waiting === "") process.nextTick(flush);
    waiting += text;
  };
  return {
    send: (event) => write(textOf(event)),
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

/** JSON has no line breaks but escaped ones, so that one line of data is enough. */
function textOf({ id, event, data }: StreamEvent): string {
  const place = id === undefined ? "" : `id: ${id}\n`;
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
