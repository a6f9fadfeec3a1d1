import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, systemClock } from "./clock.ts";

/** Milliseconds of work in one turn of the event loop. */
const longestTurn = 10;

/** Work of a process that takes long in many small pieces: between two of them it asks whether others should have their turn. */
interface Turns {
  /** Whether this turn of the event loop has lasted for long enough. */
  readonly isOver: () => boolean;
  /** Resolves in another turn. */
  readonly next: () => Promise<void>;
}

export function openTurns(clock: Pick<Clock, "now"> = systemClock): Turns {
  let since = clock.now();
  return {
    isOver: () => clock.now() - since >= longestTurn,
    async next() {
      await nextTurn();
      since = clock.now();
    },
  };
}

/** Does pieces of work one after the other, and gives others their turn of the event loop between two of them. */
export function inTurns(clock?: Pick<Clock, "now">) {
  let last: Promise<unknown> = Promise.resolve();
  const turns = openTurns(clock);
  const begin = async (): Promise<void> => {
    if (turns.isOver()) await turns.next();
  };
  return <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const done = last.then(begin).then(work);
    last = done.catch(() => {});
    return done;
  };
}
