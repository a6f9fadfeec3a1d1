import type { Milliseconds } from "@holdfast/domain";
import { overload } from "@holdfast/runtime";
import type { Caller, Guard, Held, Shares } from "@holdfast/runtime/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type MakeRoom, unpacked } from "../room.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";

interface StreamOptions {
  /** Streams at a time, by address. */
  readonly room: Shares;
  /** What all of them may leave unread, in bytes. */
  readonly memory: Shares;
  readonly callerOf: Guard["callerOf"];
  readonly clock?: () => Milliseconds;
}

/** All streams of the process. */
export interface OpenStreams {
  /**
   * Throws `request.overload` when there are too many, or too many of this address, or the process
   * stops.
   */
  mustHaveRoom(request: FastifyRequest): void;
  open(request: FastifyRequest, reply: FastifyReply, closed: () => void): EventStream;
  /**
   * Whether a client can get events. False: so much is unread, by this client or by all, that the
   * next ones have to wait. A client that does not read is dropped. `bytes`: of the next event, if
   * it is large.
   */
  isReady(stream: EventStream, bytes?: number): boolean;
  /** Makes room to read what is then sent to this client; released once that was written. */
  roomFor(stream: EventStream): { readonly make: MakeRoom; readonly release: () => void };
  /** Ends all, and takes no more. */
  stop(): void;
}

/** Milliseconds between two signs of life, each way of proxies and clients included. */
const heartbeat: Milliseconds = 15_000;
/** Unread bytes from which on a client gets nothing more until it has read. */
const mostUnread = 64 * 1_024;
/** It is dropped when it has left something unread for so long. */
const timeout: Milliseconds = 30_000;

/**
 * Bounds how many streams there are and what they keep in memory, and ends them when the process
 * stops.
 */
export function openStreams({
  room,
  memory,
  callerOf,
  clock = () => performance.now(),
}: StreamOptions): OpenStreams {
  const streams = new Map<EventStream, Caller>();
  const isReading = readerWatch(clock);
  let isStopped = false;
  let timer: ReturnType<typeof setInterval> | null = null;

  const isReady = (stream: EventStream, bytes = 1): boolean => {
    const caller = streams.get(stream);
    if (caller === undefined || !isReading(stream)) return false;
    return stream.unread < mostUnread && memory.hasRoom(caller, bytes);
  };
  const beat = (): void => {
    for (const stream of streams.keys()) if (isReady(stream)) stream.comment("still here");
  };
  const rest = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };

  return {
    mustHaveRoom(request) {
      if (isStopped || !room.hasRoom(callerOf(request.raw))) throw overload;
    },
    open(request, reply, closed) {
      const caller = callerOf(request.raw);
      const place = isStopped ? null : room.take(caller);
      if (place === null) throw overload;
      const stream = openEventStream(request, reply, {
        hold: (bytes) => memory.force(caller, bytes),
        closed() {
          place.release();
          streams.delete(stream);
          if (streams.size === 0) rest();
          closed();
        },
      });
      streams.set(stream, caller);
      timer ??= setInterval(beat, heartbeat);
      return stream;
    },
    isReady,
    roomFor: (stream) => openRoom(memory, streams.get(stream)),
    stop() {
      isStopped = true;
      rest();
      for (const stream of streams.keys()) stream.end();
    },
  };
}

/** Drops a client that does not read: what waits for it takes memory from all others. */
function readerWatch(clock: () => Milliseconds): (stream: EventStream) => boolean {
  const lagging = new WeakMap<EventStream, Milliseconds>();
  return (stream) => {
    if (stream.unread === 0) lagging.delete(stream);
    else if (!lagging.has(stream)) lagging.set(stream, clock());
    const isGone = clock() - (lagging.get(stream) ?? clock()) > timeout;
    if (isGone) stream.drop();
    return !isGone;
  };
}

/** Room for what is read and then sent. */
function openRoom(memory: Shares, caller: Caller | undefined) {
  let held: Held | null = null;
  const release = (): void => held?.release();
  const make = (bytes: number): void => {
    release();
    held = caller === undefined ? null : memory.take(caller, bytes * unpacked);
    if (held === null) throw overload;
  };
  return { make, release };
}
