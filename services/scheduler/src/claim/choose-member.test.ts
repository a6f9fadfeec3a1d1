import { expect, test } from "@jest/globals";
import { type AgentCapacity, memberChooser } from "./choose-member.ts";

const room = (slots: number, isServed = true): AgentCapacity => ({
  slots,
  most: slots,
  urgent: slots,
  isServed,
});

const capacities =
  (known: Readonly<Record<string, AgentCapacity>>) =>
  (agent: string): AgentCapacity =>
    known[agent] ?? room(0);

function chosen(
  known: Readonly<Record<string, AgentCapacity>>,
  { unavailable = [], lanes = ["a+b"] }: { unavailable?: string[]; lanes?: string[] } = {},
) {
  return memberChooser()(lanes, {
    capacityOf: capacities(known),
    unavailable: new Set(unavailable),
  });
}

test.each([
  ["that has most room", { a: room(3), b: room(5) }, [], "b"],
  ["that is not paused or sick, whatever the others have", { a: room(9), b: room(1) }, ["a"], "b"],
  ["that is well even if it has no room now", { a: room(9), b: room(0) }, ["a"], "b"],
  ["that runs", { a: room(1, false), b: room(0) }, [], "b"],
  ["that is sick if the well one does not run", { a: room(4), b: room(1, false) }, ["a"], "a"],
  ["with most room if all are sick", { a: room(1), b: room(2) }, ["a", "b"], "b"],
  [
    "of which a request may find out that it runs again",
    { a: room(0, false), b: room(1, false) },
    [],
    "b",
  ],
])("a pool's steps go to the Agent %s", (_, known, unavailable, expected) => {
  expect(chosen(known, { unavailable })[0]?.agent).toBe(expected);
});

test("Agents with the same room get the steps of their pool in turn", () => {
  const choose = memberChooser();
  const known = { capacityOf: () => room(2), unavailable: new Set<string>() };
  const order = Array.from({ length: 4 }, () => choose(["a+b+c"], known)[0]?.agent);
  expect(order).toEqual(["a", "b", "c", "a"]);
});

test("a lane of one Agent has its room, and names no choice", () => {
  expect(chosen({ a: room(3) }, { lanes: ["a"] })).toEqual([
    { lane: "a", slots: 3, most: 3, urgent: 3, isShared: false },
  ]);
});

test("lanes whose steps would go to one Agent share its room", () => {
  expect(chosen({ a: room(5), b: room(1) }, { lanes: ["a", "b", "a+b"] })).toEqual([
    { lane: "a", slots: 3, most: 3, urgent: 3, isShared: true },
    { lane: "b", slots: 1, most: 1, urgent: 1, isShared: false },
    { lane: "a+b", agent: "a", slots: 3, most: 3, urgent: 3, isShared: true },
  ]);
});
