import { type Clock, systemClock } from "./clock.ts";

/** Milliseconds of long work in one turn of the event loop, of all of a process together. */
const longestTurn = 10;

/**
 * Turns of the event loop for work that takes long in many small pieces: between two of them it
 * asks whether others should have their turn. All such work of a process shares each turn: however
 * much of it there is, a turn lasts for `longestTurn` and one piece.
 */
export interface Turns {
  /** Whether long work has lasted for long enough in this turn. */
  readonly isOver: () => boolean;
  /** Resolves in a later turn, of which the caller is the first to use the time. */
  readonly next: () => Promise<void>;
}

export function openTurns(now: () => number = () => performance.now()): Turns {
  /** What waits for a turn of its own, in the order in which it asked. */
  const waiting: (() => void)[] = [];
  /** When long work began in this turn; null: there was none so far. */
  let began: number | null = null;
  const begin = (): number => {
    setImmediate(end);
    return (began = now());
  };
  const end = (): void => {
    began = null;
    const next = waiting.shift();
    if (next === undefined) return;
    begin();
    next();
  };
  return {
    isOver: () => now() - (began ?? begin()) >= longestTurn,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (began === null) begin();
      }),
  };
}

/** The turns of this process. */
export const turns = openTurns();

const endless: Turns = { isOver: () => false, next: () => Promise.resolve() };

/**
 * The turns by a clock. Where time is not that of the system, as in a simulation, nothing waits for
 * a turn.
 */
export const turnsOf = (clock: Pick<Clock, "now">): Turns =>
  clock === systemClock ? turns : endless;
