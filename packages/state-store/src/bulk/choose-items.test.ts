import { expect, test } from "@jest/globals";
import { chooseItems } from "./choose-items.ts";

/** Pages of so many tasks each, without an end unless one is said. */
const listing = (sizes: readonly number[], isEndless = false) => {
  const asked: (string | null)[] = [];
  const list = async (after: string | null) => {
    asked.push(after);
    const size = sizes[asked.length - 1] ?? sizes.at(-1) ?? 0;
    const page = asked.length;
    const ids = Array.from({ length: size }, (_, at) => [`${page}-${at}`, at] as const);
    return { ids, next: isEndless || page < sizes.length ? `after ${page}` : null };
  };
  return { asked, list };
};

test("the tasks of all pages are chosen, the oldest first, with their versions", async () => {
  const { asked, list } = listing([2, 0, 1]);
  expect(await chooseItems(list)).toEqual([
    { taskId: "3-0", version: 0 },
    { taskId: "1-1", version: 1 },
    { taskId: "1-0", version: 0 },
  ]);
  expect(asked).toEqual([null, "after 1", "after 2"]);
});

test("as many tasks are chosen as an operation may have, and none if there is one more", async () => {
  expect(await chooseItems(listing([2, 3]).list, 5)).toHaveLength(5);
  const tooMany = listing([3, 3, 3]);
  expect(await chooseItems(tooMany.list, 5)).toBeNull();
  expect(tooMany.asked).toHaveLength(2);
});

test("a filter that matches little of a long history is given up after half a million tasks", async () => {
  const { asked, list } = listing([0], true);
  expect(await chooseItems(list)).toBeNull();
  expect(asked).toHaveLength(100);
});
