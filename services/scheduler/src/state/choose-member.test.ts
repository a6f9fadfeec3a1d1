import { expect, test } from "@jest/globals";
import { openState } from "../../test/state.ts";
import { agentOf } from "./admission.ts";
import { type AgentAllowance, shareAmongLanes } from "./allowances.ts";

interface Member extends AgentAllowance {
  /** Whether there is one that consumes its queue. */
  readonly isServed: boolean;
}

const room = (slots: number, isServed = true): Member => ({
  slots,
  most: slots,
  urgent: slots,
  isServed,
});

/** Chooses Agents of which this is known, and notes each choice. */
function memberChooser(
  known: Readonly<Record<string, Member>>,
  unavailable: readonly string[] = [],
) {
  const { state, see } = openState();
  const { admission } = state;
  admission.unavailable = new Set(unavailable);
  for (const [agent, { isServed }] of Object.entries(known)) {
    agentOf(admission, agent).queue = { messages: 0, consumers: isServed ? 1 : 0 };
  }
  return (lanes: readonly string[]) => {
    const shared = shareAmongLanes(admission, lanes, (agent) => known[agent] ?? room(0));
    see({ kind: "offered", to: "all", lanes: shared, offered: [] });
    return shared;
  };
}

function chosen(
  known: Readonly<Record<string, Member>>,
  { unavailable = [], lanes = ["a+b"] }: { unavailable?: string[]; lanes?: string[] } = {},
) {
  return memberChooser(known, unavailable)(lanes);
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
  const choose = memberChooser({ a: room(2), b: room(2), c: room(2) });
  const order = Array.from({ length: 4 }, () => choose(["a+b+c"])[0]?.agent);
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
