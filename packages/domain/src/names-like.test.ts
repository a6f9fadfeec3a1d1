import { expect, test } from "@jest/globals";
import { meantName, namesLike } from "./names-like.ts";

const agents = ["inventory", "notifications", "payments", "shipping"];

test.each([
  ["paymnets", "payments"],
  ["ship", "shipping"],
  ["Inventory", "inventory"],
  ["", "payments"],
])("namesLike suggests for %p first %p", (name, first) => {
  expect(namesLike(name, agents)[0]).toBe(first);
});

test("namesLike suggests at most five names, and none if none are known", () => {
  const many = Array.from({ length: 50 }, (_, index) => `agent-${index}`);
  expect(namesLike("agent-7", many)).toHaveLength(5);
  expect(namesLike("agent-7", many)[0]).toBe("agent-7");
  expect(namesLike("x".repeat(10_000), [])).toEqual([]);
});

test.each([
  ["paymnets", "payments"],
  ["shiping", "shipping"],
  ["warehouse", null],
  ["", null],
])("%p is taken for %p", (name, meant) => {
  expect(meantName(name, agents)).toBe(meant);
  expect(meantName(name, [])).toBeNull();
});
