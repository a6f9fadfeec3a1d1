import { expect, test } from "@jest/globals";
import { request } from "../../test/fixtures.ts";
import { runningAttempts } from "./running-attempts.ts";

const silent = () => {};
/** One step's first attempt, by the token of its claim. */
const claimed = (number: number) =>
  request({ taskId: "one task", token: `00000000-0000-4000-8000-00000000000${number}` });

test("a copy of a request that runs here is noted, and not performed", () => {
  const running = runningAttempts();
  const first = running.add(claimed(1), silent);
  expect(running.add(claimed(1), silent)).toBeNull();
  expect(first).toMatchObject({ isRepeated: true });
  expect(running.count).toBe(1);
});

test("an attempt of the same number with another token is performed, and ends by itself", () => {
  const running = runningAttempts();
  const stopped: number[] = [];
  const [lost, known] = [1, 2].map((number) => {
    const one = claimed(number);
    return { one, attempt: running.add(one, () => void stopped.push(number))! };
  });
  expect(known?.attempt).toMatchObject({ isRepeated: false });
  expect(lost?.attempt).toMatchObject({ isRepeated: false });
  running.cancel(known!.one);
  expect(stopped).toEqual([2]);
  running.remove(known!.one, known!.attempt);
  running.cancel(known!.one);
  running.cancel(lost!.one);
  expect(stopped).toEqual([2, 1]);
  expect(running.count).toBe(1);
});
