import type { Writable } from "node:stream";

/**
 * Corks the socket, so that all writes of one turn of the event loop go out together: the client writes each
 * message by itself, which costs a system call here and a packet for the broker to read.
 */
export function corkWrites(socket: Writable): void {
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  let isHeld = false;
  socket.write = (...given: unknown[]): boolean => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      process.nextTick(() => {
        isHeld = false;
        socket.uncork();
      });
    }
    return write(...given);
  };
}
