import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { withoutFeature } from "./apply-removal.ts";
import { readRows } from "./read-rows.ts";
import { removals, removalsOf } from "./removals.ts";
import { patternOf } from "./run-tests.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const rows = readRows(root);

test("every row of docs/evidence/pattern.md says how its feature is removed, or why it is not", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(Object.keys(removals).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
});

test.each(rows.map((row) => [row.id, row] as const))(
  "%s: what is removed is still in the source, and the test that must fail is one that the row names",
  (id, row) => {
    const removal = removals[id] ?? { reason: "" };
    if ("reason" in removal) {
      expect(removal.reason).not.toBe("");
      return;
    }
    expect(removalsOf(id)).not.toHaveLength(0);
    for (const one of removalsOf(id)) {
      expect(withoutFeature(root, one).size).toBeGreaterThan(0);
      expect(row.tests.map(({ title }) => title)).toContain(one.test);
    }
  },
);

test("no two rows lose the same: each shows something of its own", () => {
  const edits = rows.flatMap(({ id }) =>
    removalsOf(id).map((removal) => ({ id, text: JSON.stringify(removal.edits) })),
  );
  const alike = [...Map.groupBy(edits, ({ text }) => text).values()];
  expect(alike.filter(({ length }) => length > 1).map((some) => some.map(({ id }) => id))).toEqual(
    [],
  );
});

test("a title becomes a pattern of the name that Jest gives the test", () => {
  const pattern = patternOf("failing › rests (%s) for $name, and %d");
  expect("failing rests (long) for ever, and 3").toMatch(new RegExp(pattern));
  expect("failing rests long for ever, and 3").not.toMatch(new RegExp(pattern));
});
