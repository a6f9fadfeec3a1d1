import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface Options {
  /** Milliseconds that a piece which arrives now is to take. */
  readonly latency: () => number;
  /** Resolves when this direction is open. */
  readonly open: () => Promise<void>;
  /** Passes a piece on, or part of it; false: the connection is to end with that. */
  readonly deliver: (chunk: Buffer) => boolean;
}

interface Piece {
  readonly chunk: Buffer;
  readonly dueAt: number;
}

/** Bytes under way in one direction before no more are taken in. */
const most = 1_048_576;

/**
 * Carries what comes from one socket to another, in order, each piece after its latency. Resolves
 * when `from` has ended and all of it has arrived, or when either socket is gone.
 */
export async function pump(from: Socket, to: Socket, options: Options): Promise<void> {
  const { latency, open, deliver } = options;
  const under: Piece[] = [];
  let bytes = 0;
  let arrived = Promise.withResolvers<void>();
  const isOver = () => from.destroyed || to.destroyed;
  const signal = () => {
    arrived.resolve();
    arrived = Promise.withResolvers();
  };

  from.on("data", (chunk: Buffer) => {
    under.push({ chunk, dueAt: performance.now() + latency() });
    bytes += chunk.length;
    if (bytes > most) from.pause();
    signal();
  });
  from.once("end", signal);
  from.once("close", signal);
  to.once("close", signal);

  for (;;) {
    const piece = under.shift();
    if (piece === undefined) {
      if (from.readableEnded || isOver()) return;
      await arrived.promise;
      continue;
    }
    const wait = piece.dueAt - performance.now();
    if (wait > 0) await sleep(wait);
    await open();
    if (to.destroyed) return;
    if (!deliver(piece.chunk)) return;
    if (to.writableNeedDrain) await drained(to);
    bytes -= piece.chunk.length;
    if (from.isPaused() && bytes < most) from.resume();
  }
}

/** Resolves once the socket is drained, or gone: then there is nothing to wait for. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const either = [once(socket, "drain", { signal }), once(socket, "close", { signal })];
  await Promise.race(either).catch(() => {});
  over.abort();
  await Promise.allSettled(either);
}
