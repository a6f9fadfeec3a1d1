import type { Milliseconds } from "@holdfast/domain";
import { overload } from "@holdfast/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type EventStream, openEventStream } from "./event-stream.ts";

interface Options {
  /** Streams at a time. */
  readonly most: number;
  readonly clock?: () => Milliseconds;
}

/** All streams of the process. */
export interface OpenStreams {
  /** Throws `request.overload` when there are too many, or the process stops. */
  mustHaveRoom(): void;
  open(request: FastifyRequest, reply: FastifyReply, closed: () => void): EventStream;
  /** False: so much is unread that the next events have to wait. A client that never reads is dropped. */
  isReady(stream: EventStream): boolean;
  /** Ends all, and takes no more. */
  stop(): void;
}

/** Between two signs of life, each way of proxies and clients included. */
const heartbeat: Milliseconds = 15_000;
/** From so many unread bytes on a client gets nothing more until it has read. */
const mostUnread = 64 * 1_024;
/** It is dropped when it has not read for so long. */
const patience: Milliseconds = 30_000;

/** Bounds how many streams there are and what each keeps in memory, and ends them when the process stops. */
export function openStreams({ most, clock = () => performance.now() }: Options): OpenStreams {
  const streams = new Set<EventStream>();
  const lagging = new WeakMap<EventStream, Milliseconds>();
  let isStopped = false;
  let timer: ReturnType<typeof setInterval> | null = null;

  const isReady = (stream: EventStream): boolean => {
    if (stream.unread < mostUnread) {
      lagging.delete(stream);
      return true;
    }
    const since = lagging.get(stream) ?? clock();
    lagging.set(stream, since);
    if (clock() - since > patience) stream.drop();
    return false;
  };
  const beat = (): void => {
    for (const stream of streams) if (isReady(stream)) stream.comment("still here");
  };
  const rest = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const mustHaveRoom = (): void => {
    if (isStopped || streams.size >= most) throw overload;
  };

  return {
    mustHaveRoom,
    open(request, reply, closed) {
      mustHaveRoom();
      const stream = openEventStream(request, reply, () => {
        streams.delete(stream);
        if (streams.size === 0) rest();
        closed();
      });
      streams.add(stream);
      timer ??= setInterval(beat, heartbeat);
      return stream;
    },
    isReady,
    stop() {
      isStopped = true;
      rest();
      for (const stream of streams) stream.end();
    },
  };
}
