import { expect, test } from "@jest/globals";
import { array, assert, nat, property } from "fast-check";
import { layOutGraph } from "./layout.ts";

const step = (name: string, ...after: readonly string[]) => ({ name, after });

test("a step stands right of all that it comes after", () => {
  const { steps, columns } = layOutGraph([
    step("reserve"),
    step("charge"),
    step("ship", "reserve", "charge"),
    step("notify", "ship"),
  ]);
  expect(columns).toBe(3);
  expect(Object.fromEntries(steps.map(({ name, column }) => [name, column]))).toEqual({
    reserve: 0,
    charge: 0,
    ship: 1,
    notify: 2,
  });
});

test("a line that only repeats a longer way is left out", () => {
  const { edges } = layOutGraph([step("a"), step("b", "a"), step("c", "a", "b")]);
  expect(edges).toEqual([
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ]);
});

test("steps are ordered so that lines do not cross without need", () => {
  const { steps } = layOutGraph([step("a"), step("b"), step("of b", "b"), step("of a", "a")]);
  const row = (name: string) => steps.find((one) => one.name === name)?.row ?? Number.NaN;
  expect(row("a") < row("b")).toBe(row("of a") < row("of b"));
});

test("a circle, a step after itself and one after a step that there is not are shown all the same", () => {
  const { steps, edges } = layOutGraph([
    step("a", "b"),
    step("b", "a"),
    step("c", "c"),
    step("d", "gone", "__proto__"),
  ]);
  expect(steps).toHaveLength(4);
  expect(edges.every(({ from }) => from !== "gone")).toBe(true);
});

test("each step of any workflow has a place of its own, and each line leads to the right", () => {
  const workflow = array(array(nat(30), { maxLength: 5 }), { maxLength: 20 }).map((all) =>
    all.map((after, index) =>
      step(`s${index}`, ...after.filter((one) => one < index).map((one) => `s${one}`)),
    ),
  );
  assert(
    property(workflow, (given) => {
      const { steps, edges } = layOutGraph(given);
      expect(new Set(steps.map(({ column, row }) => `${column} ${row}`)).size).toBe(given.length);
      const columnOf = new Map(steps.map(({ name, column }) => [name, column]));
      for (const { from, to } of edges) {
        expect(columnOf.get(from)).toBeLessThan(columnOf.get(to) ?? -1);
      }
    }),
  );
});

test("a workflow without steps has an empty picture", () => {
  expect(layOutGraph([])).toEqual({ steps: [], edges: [], columns: 0, rows: 0 });
});
