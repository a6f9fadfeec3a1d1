import { byteBudget, type Reservation } from "@holdfast/runtime";

/**
 * Bytes of the outputs that the Agents of a process may have, as text: from the handler to the
 * broker's confirm.
 */
const mostBytes = 32 * 1024 * 1024;
/** Bytes. Whatever usually returns less reserves nothing, and waits for nothing. */
const small = 16 * 1024;
/** Handlers of large outputs that begin in one turn of the event loop. */
const inTurn = 8;

/** Room for what handlers return, which all Agents of a process share. */
export interface OutputRoom {
  /**
   * Reserves what the operation usually returns; null: that is little, or not known yet, or the
   * signal aborted.
   */
  reserve(operation: string, signal: AbortSignal): Promise<Reservation | null> | null;
  /**
   * Resolves when a handler of the operation may begin. Values take many times their text: what
   * several handlers return at once is written before the next ones begin.
   */
  turn(operation: string): Promise<void> | null;
  /** What the operation has returned, in bytes of its text. */
  returned(operation: string, bytes: number): void;
}

/** `later` calls what it is given once others have had their turn of the event loop. */
export function outputRoom(later: (act: () => void) => void = setImmediate): OutputRoom {
  const budget = byteBudget(mostBytes);
  const sizes = new Map<string, number>();
  let begun = 0;
  let next: Promise<void> | null = null;

  /** Resolves once all that began in this turn has run for as long as it waits for nothing. */
  const nextTurn = (): Promise<void> => {
    next ??= new Promise((resolve) => {
      later(() => {
        begun = 0;
        next = null;
        resolve();
      });
    });
    return next;
  };
  const turn = async (): Promise<void> => {
    for (;;) {
      if (begun < inTurn) break;
      await nextTurn();
    }
    begun += 1;
    void nextTurn();
  };

  return {
    reserve(operation, signal) {
      const bytes = sizes.get(operation) ?? 0;
      return bytes <= small ? null : budget.reserve(bytes, signal);
    },
    turn: (operation) =>
      (sizes.get(operation) ?? Number.POSITIVE_INFINITY) <= small ? null : turn(),
    returned(operation, bytes) {
      // One large output is remembered for a few small ones.
      sizes.set(operation, Math.max(bytes, Math.floor((sizes.get(operation) ?? 0) / 2)));
    },
  };
}
