import type { Violation } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { findViolations } from "./find-violations.ts";

/** Ids that count up, and a store that has so many, each of which breaks so many rules. */
const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

function storeOf({ tasks, breachesEach = 0 }: { tasks: number; breachesEach?: number }) {
  const ids = Array.from({ length: tasks }, (_, index) => idOf(index + 1));
  const asked: number[] = [];
  return {
    asked,
    findLowestId: async () => idOf(tasks - 1),
    findRange: async ({ after, size }: { after: string; size: number }) => {
      const next = ids.filter((id) => id > after).slice(0, size);
      return { tasks: next.length, upto: next.at(-1) ?? null };
    },
    findViolations: async (range: { after: string; upto: string; batch: number }) => {
      const among = ids.filter((id) => id > range.after && id <= range.upto);
      asked.push(among.length);
      return among
        .flatMap((taskId) => Array.from({ length: breachesEach }, () => violation(taskId)))
        .slice(0, range.batch);
    },
  };
}

const violation = (taskId: string): Violation => ({ invariant: "x", taskId, witness: null });

test.each([
  [0, [0]],
  [3, [3]],
  [5, [5, 0]],
  [12, [5, 5, 2]],
])("verify checks %i tasks five at a time", async (tasks, looks) => {
  const store = storeOf({ tasks });
  const found = await findViolations(store, { since: null, size: 5 });
  expect(found).toEqual({ tasks, violations: [], more: false });
  expect(store.asked).toEqual(looks);
});

test("verify checks only the latest tasks if a limit is given", async () => {
  const found = await findViolations(storeOf({ tasks: 9 }), { since: 1_000, size: 5 });
  expect(found.tasks).toBe(1);
});

test("verify stops once it has found enough, and says that there may be more", async () => {
  const store = storeOf({ tasks: 50, breachesEach: 2 });
  const found = await findViolations(store, { since: null, size: 5, limit: 15 });
  expect(found.violations).toHaveLength(15);
  expect(found).toMatchObject({ more: true, tasks: 10 });
  expect(store.asked).toEqual([5, 5]);
});

test("verify does not say that there may be more if it has found all", async () => {
  const store = storeOf({ tasks: 10, breachesEach: 1 });
  const found = await findViolations(store, { since: null, size: 5, limit: 10 });
  expect(found).toMatchObject({ more: false, tasks: 10 });
});

test("verify stops when its time is over, and says that there may be more", async () => {
  const store = storeOf({ tasks: 50, breachesEach: 1 });
  const isOver = () => store.asked.length === 2;
  const found = await findViolations(store, { since: null, size: 5, isOver });
  expect(found).toMatchObject({ more: true, tasks: 10 });
  expect(found.violations).toHaveLength(10);
});
