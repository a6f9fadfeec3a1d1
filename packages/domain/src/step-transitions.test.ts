import { describe, expect, test } from "@jest/globals";
import { definitionOf } from "../test/fixtures.ts";
import { newStep, type Step, type StepState, stepStates } from "./step.ts";
import {
  change,
  legalStepTransitions,
  type StepAction,
  savedStepTransitions,
  stepTransitions,
} from "./step-transitions.ts";
import { planWorkflow } from "./workflow-plan.ts";

const actions = Object.keys(stepTransitions) as StepAction[];

/**
 * The state machine as one reads it: rows are actions, columns states, a dot is "cannot happen".
 */
const machine = `
            waiting    pending    processing awaiting  processed error      skipped    cancelled
  admit     waiting    .          .          .         .         .          .          .
  plan      pending    .          .          .         .         .          .          .
  hold      .          waiting    .          .         .         .          .          .
  skip      skipped    .          .          .         .         .          .          .
  cancel    cancelled  cancelled  cancelled  cancelled .         .          .          .
  claim     .          processing .          .         .         .          .          .
  complete  .          .          processed  .         .         .          .          .
  retry     .          .          pending    .         .         .          .          .
  coolDown  .          .          pending    .         .         .          .          .
  requeue   .          .          pending    .         .         .          .          .
  retryNow  .          pending    .          .         .         .          .          .
  fail      .          .          error      .         .         .          .          .
  resubmit  .          .          .          .         .         pending    .          .
  resolve   .          .          .          .         .         processed  .          .
  open      awaiting   .          .          .         .         .          .          .
  postpone  .          .          .          awaiting  .         .          .          .
  fire      .          .          .          processed .         .          .          .
  lapse     .          .          .          error     .         .          .          .
`;

const [columns = [], ...rows] = machine
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));
const cells = rows.flatMap(([action, ...targets]) =>
  targets.map(
    (target, index) => [action, columns[index], target] as [StepAction, StepState, string],
  ),
);

const stepIn = (processState: StepState): Step => {
  const [plan] = planWorkflow(definitionOf([{ name: "a" }])).steps.values();
  return { ...newStep(plan!), processState } as Step;
};

test("the state machine covers every action in every state", () => {
  expect(cells).toHaveLength(actions.length * stepStates.length);
});

describe.each(actions)("%s", (action) => {
  test.each(cells.filter(([name]) => name === action))(
    "%s of a step that is %s gives %s",
    (_, from, to) => {
      if (to === ".") expect(() => change(stepIn(from), action)).toThrow("cannot");
      else expect(change(stepIn(from), action).step.processState).toBe(to);
    },
  );
});

test("no action leaves the states processed, skipped and cancelled", () => {
  const left = legalStepTransitions.map(([from]) => from);
  expect(left).not.toContain("processed");
  expect(left).not.toContain("skipped");
  expect(left).not.toContain("cancelled");
});

test("the end of a wait is saved by itself, after its beginning", () => {
  const saved = savedStepTransitions.map((pair) => pair.join(" "));
  expect(saved).toContain("awaiting processed");
  expect(saved).not.toContain("waiting processed");
  expect(saved).not.toContain("waiting error");
});

test("moves that are saved together form a legal move; a claim is never part of them", () => {
  const saved = savedStepTransitions.map((pair) => pair.join(" "));
  expect(saved).toEqual(expect.arrayContaining(["processing waiting", "error waiting"]));
  expect(saved.filter((pair) => pair.endsWith(" processing"))).toEqual(["pending processing"]);
});
