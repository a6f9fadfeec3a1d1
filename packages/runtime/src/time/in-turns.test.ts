import { expect, test } from "@jest/globals";
import { inTurns } from "./in-turns.ts";

test("long pieces of work are done in their order, with a turn of the event loop between them", async () => {
  let now = 0;
  const done: string[] = [];
  const inTurn = inTurns({ now: () => now });
  const work = (name: string) =>
    inTurn(() => {
      done.push(name);
      now += 20;
    });
  const all = Promise.all([work("first"), work("second"), work("third")]);
  setImmediate(() => done.push("another"));
  await all;
  expect(done).toEqual(["first", "another", "second", "third"]);
});

test("a piece of work that throws does not keep the next one from being done", async () => {
  const inTurn = inTurns();
  const bad = inTurn(() => {
    throw new Error("no task");
  });
  const good = inTurn(() => "task");
  await expect(bad).rejects.toThrow("no task");
  expect(await good).toBe("task");
});
