import { connect, type Socket } from "node:net";

/** The two sockets of one connection through a link. */
export interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** How the answer ends that the client is not to get. */
  lostAnswer: Buffer | null;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Connects to the server for a client. A reset of one side resets the other, too. */
export function openPair(client: Socket, target: Address): Pair {
  const server = connect({ ...target, noDelay: true, allowHalfOpen: true });
  client.on("error", () => reset(server));
  server.on("error", () => reset(client));
  return { client, server, lostAnswer: null };
}

export function resetPair({ client, server }: Pair): void {
  reset(client);
  reset(server);
}

/**
 * A reset while the goodbye is under way is refused, and would leave the socket behind for ever.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
