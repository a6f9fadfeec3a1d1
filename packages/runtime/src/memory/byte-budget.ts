/** Bytes that are reserved until this is disposed of. */
export interface Reservation extends Disposable {
  /**
   * Gives back what is more than that. A reservation never grows: two that wait for each other to
   * shrink would do so for ever.
   */
  shrinkTo(bytes: number): void;
}

/** How many bytes something may take in memory at a time. */
export interface ByteBudget {
  /**
   * Waits until there is room, behind all that ask before. What is larger than the whole waits
   * until it is alone. Resolves to null if the signal aborts first.
   */
  reserve(bytes: number): Promise<Reservation>;
  reserve(bytes: number, signal: AbortSignal): Promise<Reservation | null>;
  /** Reserves bytes if there is room; null: there is none now, or others wait. */
  tryReserve(bytes: number): Reservation | null;
  readonly reserved: number;
  readonly waiting: number;
}

/** A budget that is shared by all that it is handed to, first come, first served. */
export function byteBudget(total: number): ByteBudget {
  let reserved = 0;
  const queue: { readonly bytes: number; readonly grant: () => void }[] = [];
  const hasRoomFor = (bytes: number): boolean => reserved === 0 || reserved + bytes <= total;

  const give = (bytes: number): void => {
    reserved -= bytes;
    for (let [next] = queue; next !== undefined && hasRoomFor(next.bytes); [next] = queue) {
      queue.shift();
      next.grant();
    }
  };

  const take = (bytes: number): Reservation => {
    let held = bytes;
    reserved += held;
    const shrinkTo = (rest: number): void => {
      const given = Math.max(0, held - rest);
      held -= given;
      if (given > 0) give(given);
    };
    return { shrinkTo, [Symbol.dispose]: () => shrinkTo(0) };
  };

  const tryReserve = (bytes: number): Reservation | null =>
    queue.length === 0 && hasRoomFor(bytes) ? take(bytes) : null;

  function reserve(bytes: number): Promise<Reservation>;
  function reserve(bytes: number, signal: AbortSignal): Promise<Reservation | null>;
  async function reserve(bytes: number, signal?: AbortSignal): Promise<Reservation | null> {
    const room = signal?.aborted === true ? null : tryReserve(bytes);
    if (room !== null || signal?.aborted === true) return room;
    const { promise, resolve } = Promise.withResolvers<Reservation | null>();
    const waiting = { bytes, grant: () => end(take(bytes)) };
    const leave = (): void => {
      queue.splice(queue.indexOf(waiting), 1);
      end(null);
      // What was behind a large one may have room.
      give(0);
    };
    const end = (reservation: Reservation | null): void => {
      signal?.removeEventListener("abort", leave);
      resolve(reservation);
    };
    queue.push(waiting);
    signal?.addEventListener("abort", leave, { once: true });
    return promise;
  }

  return {
    tryReserve,
    reserve,
    get reserved() {
      return reserved;
    },
    get waiting() {
      return queue.length;
    },
  };
}
