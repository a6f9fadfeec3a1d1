import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds of work in one turn of the event loop. */
const longestTurn = 10;

/** Does pieces of work one after the other, and gives others their turn of the event loop between two of them. */
export function inTurns(clock: () => number = () => performance.now()) {
  let last: Promise<unknown> = Promise.resolve();
  let since = clock();
  const begin = async (): Promise<void> => {
    if (clock() - since < longestTurn) return;
    await nextTurn();
    since = clock();
  };
  return <Result>(work: () => Result): Promise<Result> => {
    const done = last.then(begin).then(work);
    last = done.catch(() => {});
    return done;
  };
}
