import { expect, test } from "@jest/globals";
import { queueLimit } from "./queue-limit.ts";

/** A limit of 200 after one transaction of so many tasks, beside so many refusals. */
function limitAfter(tasks: number, refusals: number, busy: number): number {
  const limit = queueLimit({ most: 200, utilization: () => busy });
  for (let refusal = 0; refusal < refusals; refusal += 1) limit.refused();
  limit.written(tasks);
  return limit.current;
}

test.each([
  ["keeps its length where nothing is refused", 200, 0, 1, 200],
  ["keeps its length while the process has time, however many are refused", 20, 180, 0.89, 200],
  [
    "is shortened by the part that is refused once the process is busy all the time",
    100,
    100,
    0.9,
    100,
  ],
  ["is never shorter than a quarter of its length", 1, 999, 1, 50],
])("the queue %s", (_, tasks, refusals, busy, expected) => {
  expect(limitAfter(tasks, refusals, busy)).toBe(expected);
});

test("the queue has its full length again after a transaction without refusals", () => {
  const limit = queueLimit({ most: 200, utilization: () => 1 });
  for (let refusal = 0; refusal < 300; refusal += 1) limit.refused();
  limit.written(100);
  expect(limit.current).toBe(50);
  limit.written(50);
  expect(limit.current).toBe(200);
});

test("a short queue never closes: one task may always wait", () => {
  const limit = queueLimit({ most: 1, utilization: () => 1 });
  limit.refused();
  limit.written(1);
  expect(limit.current).toBe(1);
});
