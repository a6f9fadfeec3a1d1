import type { Writable } from "node:stream";

/**
 * Has what is said in one turn of the event loop written as one: the client writes each message by
 * itself, which costs a system call of ours and a packet for the broker to read.
 */
export function writeTogether(socket: Writable): void {
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
