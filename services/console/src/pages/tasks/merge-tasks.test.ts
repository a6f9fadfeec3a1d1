import { describe, expect, test } from "@jest/globals";
import type { ChangedTask, ListedTask } from "../../api/types.ts";
import { noFilter } from "./filter.ts";
import { newIdsAfter, patchPages, prependNewest } from "./merge-tasks.ts";

const task = (id: string, version = 1) =>
  ({ id, version, state: "pending", updatedAt: "" }) as ListedTask;
const page = (ids: readonly string[], next: string | null = "more") => ({
  items: ids.map((id) => task(id)),
  next,
});
const changed = (id: string, version: number): ReadonlyMap<string, ChangedTask> =>
  new Map([[id, { id, version, state: "halted", workflow: "w", updatedAt: "now" }]]);

describe("tasks that have changed", () => {
  const pages = [page(["d", "c"]), page(["b", "a"])];
  test("are shown as they stand now, and other pages stay the same object", () => {
    const patched = patchPages(pages, changed("b", 2));
    expect(patched[1]?.items[0]).toMatchObject({ id: "b", state: "halted", version: 2 });
    expect(patched[0]).toBe(pages[0]);
  });

  test("keep what is newer than the news", () => {
    expect(patchPages(pages, changed("b", 1))).toBe(pages);
    expect(patchPages(pages, changed("unknown", 9))).toBe(pages);
  });
});

describe("the newest tasks", () => {
  test("stand before the others, once each, and renew what is known", () => {
    const newest = { items: [task("e"), task("d", 5)], next: "more" };
    const merged = prependNewest([page(["d", "c"]), page(["b"])], newest);
    expect(merged?.map(({ items }) => items.map(({ id }) => id))).toEqual([["e", "d", "c"], ["b"]]);
    expect(merged?.[0]?.items[1]?.version).toBe(5);
  });

  test("begin the list anew when tasks between are missing", () => {
    expect(prependNewest([page(["a"])], page(["z", "y"]))).toBeNull();
  });

  test("are the list when there was none", () => {
    expect(prependNewest([], page(["a"]))).toEqual([page(["a"])]);
    expect(prependNewest([page([], null)], page(["a"], null))?.[0]?.items).toHaveLength(1);
  });
});

describe("the ids of new tasks", () => {
  const known: ReadonlySet<string> = new Set(["f"]);
  const after = (news: ReadonlyMap<string, ChangedTask>, top = "d", filter = noFilter) => [
    ...newIdsAfter(known, { changed: news, filter, top }),
  ];

  test("are those that changed and stand above the newest task of the list", () => {
    expect(after(changed("e", 1))).toEqual(["f", "e"]);
    expect(after(changed("c", 1))).toEqual(["f"]);
  });

  test("are without those that the list shows by now, or that have left its filter", () => {
    expect(after(changed("c", 1), "f")).toEqual([]);
    expect(after(changed("f", 2), "d", { ...noFilter, states: ["processing"] })).toEqual([]);
    expect(after(changed("f", 2), "d", { ...noFilter, states: ["halted"] })).toEqual(["f"]);
  });

  test("stay the same set where nothing is new, so that nothing is drawn again", () => {
    const same = newIdsAfter(known, { changed: changed("f", 2), filter: noFilter, top: "d" });
    expect(same).toBe(known);
  });
});
