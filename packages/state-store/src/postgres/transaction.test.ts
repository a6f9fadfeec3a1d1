import { expect, test } from "@jest/globals";
import { foundBetween, untilQuick } from "./transaction.ts";

test("what has to be found out is found out between two transactions, once", async () => {
  const events: string[] = [];
  const find = foundBetween(String, async (asked: number) => {
    events.push(`finding ${asked}`);
    return asked * 2;
  });
  const transaction = (asked: readonly number[]) =>
    untilQuick(async () => {
      events.push("begin");
      try {
        return find(asked);
      } finally {
        events.push("end");
      }
    });
  expect(await transaction([3, 4])).toEqual([6, 8]);
  expect(events).toEqual(["begin", "end", "finding 3", "finding 4", "begin", "end"]);
  events.length = 0;
  expect(await transaction([4, 5])).toEqual([8, 10]);
  expect(events).toEqual(["begin", "end", "finding 5", "begin", "end"]);
});

test("what cannot be found out ends the attempt, and nothing is kept of it", async () => {
  let isBroken = true;
  const find = foundBetween(String, (asked: number) => {
    if (isBroken) throw new Error("no thread");
    return asked;
  });
  await expect(untilQuick(async () => find([1]))).rejects.toThrow("no thread");
  isBroken = false;
  expect(await untilQuick(async () => find([1]))).toEqual([1]);
});
