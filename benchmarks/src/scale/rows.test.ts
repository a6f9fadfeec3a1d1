import { expect, test } from "@jest/globals";
import { rowsOf } from "./rows.ts";
import { setups } from "./setups.ts";

const figures = (ordersPerSecond: number) => ({
  ordersPerSecond,
  statementsPerOrder: 0.5,
  statementsAtRest: 1,
  cpu: {},
});

test("each setup is compared to the first of its own kind, round by round", () => {
  const chosen = setups.filter(({ name }) => ["s1a1", "s4a1", "s1a1d20", "s4a1d20"].includes(name));
  const rows = rowsOf(chosen, [
    { s1a1: figures(100), s4a1: figures(90), s1a1d20: figures(10), s4a1d20: figures(30) },
    { s1a1: figures(1_000), s4a1: figures(900), s1a1d20: figures(20), s4a1d20: figures(60) },
    { s1a1: figures(100), s4a1: figures(90), s1a1d20: figures(10), s4a1d20: figures(10) },
  ]);
  expect(rows.map(({ name, ordersPerSecond, ratio }) => [name, ordersPerSecond, ratio])).toEqual([
    ["s1a1", 100, 1],
    ["s4a1", 90, 0.9],
    ["s1a1d20", 10, 1],
    ["s4a1d20", 30, 3],
  ]);
});

test("Schedulers with a share of a core are compared to one that has it, too", () => {
  const chosen = setups.filter(({ name }) => ["s1a1d20", "s1a1d20c8", "s4a1d20c8"].includes(name));
  const round = { s1a1d20: figures(200), s1a1d20c8: figures(10), s4a1d20c8: figures(30) };
  expect(rowsOf(chosen, [round]).map(({ title, ratio }) => [title, ratio])).toEqual([
    ["Schedulers 1, Agents 1, 20 ms away", 1],
    ["Schedulers 1, Agents 1, 20 ms away, 8 % of a core each", 1],
    ["Schedulers 4, Agents 1, 20 ms away, 8 % of a core each", 3],
  ]);
});

test("the names of the setups differ", () => {
  expect(new Set(setups.map(({ name }) => name)).size).toBe(setups.length);
});
