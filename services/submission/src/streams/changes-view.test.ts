import type { ChangedTask } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { changesView, mostTasks } from "./changes-view.ts";

const task = (id: string, version = 1): ChangedTask => ({
  id,
  version,
  workflow: "trip.v1",
  state: "processing",
  updatedAt: "2026-01-01T00:00:00.000Z",
});
const look = (lastId: number, ...tasks: readonly ChangedTask[]) => ({
  lastId: String(lastId),
  moved: tasks.length,
  tasks,
});

test("the first look begins after the last entry, and later ones five seconds earlier", () => {
  let now = 0;
  const view = changesView(() => now);
  expect(view.after).toBeNull();
  for (now = 0; now <= 7_000; now += 1_000) view.take(look(100 + now / 1_000));
  expect(view.after).toBe("102");
  now = 60_000;
  view.take(look(200));
  expect(view.after).toBe("107");
  now = 61_000;
  view.take(look(201));
  expect(view.after).toBe("107");
  now = 65_000;
  expect(view.take(look(202)).id).toBe("200");
});

test("a task that is read again is sent once for each of its versions", () => {
  const view = changesView(() => 0);
  expect(view.take(look(1, task("a"))).tasks).toEqual([task("a")]);
  expect(view.take(look(2, task("b"), task("a"))).tasks).toEqual([task("b")]);
  expect(view.take(look(3, task("a", 2), task("b"))).tasks).toEqual([task("a", 2)]);
});

test("an entry that is committed late is sent although a later one was seen before", () => {
  let now = 0;
  const view = changesView(() => now);
  view.take(look(10));
  now = 1_000;
  view.take(look(12, task("late-transaction-ran", 1)));
  now = 4_000;
  expect(Number(view.after)).toBeLessThan(11);
  expect(view.take(look(12, task("entry-11"))).tasks).toEqual([task("entry-11")]);
});

test("one event has at most 200 tasks, and says how many more there are", () => {
  const view = changesView(() => 0);
  const many = Array.from({ length: mostTasks + 50 }, (_, at) => task(`t${at}`));
  const { tasks, more } = view.take({ lastId: "9", moved: 1_000, tasks: many });
  expect(tasks).toHaveLength(mostTasks);
  expect(more).toBe(1_000 - mostTasks);
  expect(view.take({ lastId: "9", moved: many.length, tasks: many })).toMatchObject({
    tasks: [],
    more: 0,
  });
});

test("what was sent is forgotten once it is read no more", () => {
  let now = 0;
  const view = changesView(() => now);
  view.take(look(1, task("a")));
  now = 20_000;
  view.take(look(2));
  expect(view.take(look(2, task("a"))).tasks).toEqual([task("a")]);
});
