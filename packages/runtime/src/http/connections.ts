import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressBlock, type Proxies, plainAddress } from "./addresses.ts";

/** Milliseconds in which a connection of the reserve must show the operators' token. */
const reserveFor = 1_000;

/** A connection that is open. */
export interface Connection {
  readonly block: string;
  /** It is beyond what is for all: only operators are answered on it. */
  readonly isReserved: boolean;
  /** Responses that are not sent yet, in the order in which they are sent. */
  readonly unanswered: Set<ServerResponse>;
  readonly waiting: (() => void)[];
  running: number;
  last: IncomingMessage | null;
}

interface ConnectionLimits {
  readonly most: number;
  /** Connections, the last ones of `most`, on which only operators are answered. */
  readonly reserved: number;
  readonly ofOne: number;
  readonly proxies: Proxies;
}

/**
 * Counts connections by address. Where an address has its share, its oldest connection without a
 * request makes room for the next one. A trusted proxy has no share: its clients have.
 */
export function openConnections({ most, reserved, ofOne, proxies }: ConnectionLimits) {
  const open = new Map<Socket, Connection>();
  const byBlock = new Map<string, Set<Socket>>();
  const deadlines = new WeakMap<Socket, NodeJS.Timeout>();
  let reservedNow = 0;

  const of = (socket: Socket): Connection | undefined => open.get(socket);
  const keep = (socket: Socket): void => clearTimeout(deadlines.get(socket));
  const leave = (socket: Socket): void => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    keep(socket);
    if (connection.isReserved) reservedNow -= 1;
    const same = byBlock.get(connection.block);
    same?.delete(socket);
    if (same?.size === 0) byBlock.delete(connection.block);
    // Node says nothing to an answer that waits for its turn when the connection ends.
    for (const response of connection.unanswered) {
      if (response.socket === null) response.destroy().emit("close");
    }
  };
  const makeRoom = (same: ReadonlySet<Socket>): boolean => {
    for (const socket of same) {
      if (open.get(socket)?.unanswered.size !== 0) continue;
      leave(socket);
      socket.destroy();
      return true;
    }
    return false;
  };

  return {
    of,
    keep,
    meet(socket: Socket): void {
      const peer = plainAddress(socket.remoteAddress ?? "");
      const block = addressBlock(peer);
      const same = byBlock.get(block) ?? new Set();
      const isOver = !proxies.isTrusted(peer) && same.size >= ofOne && !makeRoom(same);
      const isReserved = isOver || open.size >= most - reserved;
      if (isReserved && reservedNow >= reserved) return void socket.destroy();
      if (isReserved) {
        reservedNow += 1;
        deadlines.set(socket, setTimeout(() => socket.destroy(), reserveFor).unref());
      }
      byBlock.set(block, same.add(socket));
      open.set(socket, {
        block,
        isReserved,
        unanswered: new Set(),
        waiting: [],
        running: 0,
        last: null,
      });
      socket.once("close", () => leave(socket));
    },
  };
}
