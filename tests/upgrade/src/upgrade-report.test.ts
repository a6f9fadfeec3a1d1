import { expect, test } from "@jest/globals";
import { goodReport } from "./testing.ts";
import { faultsOf } from "./upgrade-report.ts";

test("a run in which every order came to its one end has no faults", () => {
  expect(faultsOf(goodReport)).toEqual([]);
});

test.each([
  "crashed",
  "overstayed",
  "halted",
  "open",
  "refused",
  "lost",
  "doubled",
  "deadLetters",
  "violations",
] as const)("a run with one %s is wrong", (name) => {
  expect(faultsOf({ ...goodReport, [name]: 1 })).toEqual([`${name}: 1`]);
});

test("that a process of the release before does not stop in time is no fault of this one", () => {
  expect(faultsOf({ ...goodReport, overstayedBefore: 1 })).toEqual([]);
});

test("a release before that does not start has to say which schema it needs", () => {
  const refusal = (said: string) => ({ ...goodReport, refusals: [{ service: "scheduler", said }] });
  const clear =
    "The state store has schema 29, this release needs 28: update this service to the release that made the schema";
  expect(faultsOf(refusal(clear))).toEqual([]);
  expect(faultsOf(refusal("column resend_at does not exist"))).toEqual([
    "scheduler refused to start, and said: column resend_at does not exist",
  ]);
});

test("a run proves nothing without kills, orders and tasks that both releases had", () => {
  const [phase] = goodReport.phases;
  const quiet = { ...phase!, killsBefore: 0, killsHere: 0, orders: 0 };
  expect(faultsOf({ ...goodReport, phases: [quiet] })).toHaveLength(2);
  expect(faultsOf({ ...goodReport, carriedOver: 0 })).toHaveLength(1);
  expect(faultsOf({ ...goodReport, carriedBack: 0 })).toHaveLength(1);
  expect(faultsOf({ ...goodReport, ofKeptWorkflow: 0 })).toHaveLength(1);
  expect(faultsOf({ ...goodReport, calledFromBefore: 0 })).toHaveLength(1);
});
