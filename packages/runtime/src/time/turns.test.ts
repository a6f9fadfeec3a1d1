import { expect, test } from "@jest/globals";
import { openTurns } from "./turns.ts";

/** Turns by a clock that only work moves on. */
function openWorked() {
  let now = 0;
  const turns = openTurns(() => now);
  return {
    turns,
    work: (ms: number): void => {
      now += ms;
    },
  };
}

test("long pieces of work are done in their order, with a turn of the event loop between them", async () => {
  const { turns, work } = openWorked();
  const done: string[] = [];
  const piece = async (name: string): Promise<void> => {
    if (turns.isOver()) await turns.next();
    done.push(name);
    work(20);
  };
  const all = Promise.all([piece("first"), piece("second"), piece("third")]);
  setImmediate(() => done.push("another"));
  await all;
  expect(done).toEqual(["first", "second", "another", "third"]);
});

test("however much long work a process has, each turn of its event loop has one piece more than the longest turn", async () => {
  const { turns, work } = openWorked();
  const perTurn: number[] = [0];
  let isDone = false;
  const count = (): void => {
    perTurn.push(0);
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const loop = async (): Promise<void> => {
    for (let piece = 0; piece < 20; piece += 1) {
      if (turns.isOver()) await turns.next();
      work(8);
      perTurn[perTurn.length - 1]! += 8;
    }
  };
  await Promise.all(Array.from({ length: 12 }, loop));
  isDone = true;
  expect(perTurn.reduce((sum, ms) => sum + ms)).toBe(12 * 20 * 8);
  expect(Math.max(...perTurn)).toBeLessThan(10 + 8);
});

test("work that waits has its turn in the order in which it asked", async () => {
  const { turns, work } = openWorked();
  const done: string[] = [];
  turns.isOver();
  work(10);
  const twice = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 2; piece += 1) {
      if (turns.isOver()) await turns.next();
      done.push(name);
      work(10);
    }
  };
  await Promise.all(["a", "b", "c"].map(twice));
  expect(done).toEqual(["a", "b", "c", "a", "b", "c"]);
});
