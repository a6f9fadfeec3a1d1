import { StepRequest } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { claim, dispatching, values } from "../../test/dispatching.ts";

test("a claim holds references only: the outputs that an input refers to are loaded at dispatch", async () => {
  const { dispatch, published, asked } = dispatching();
  const claimed = claim("charge");
  expect(JSON.stringify(claimed)).not.toContain("card-1");
  await dispatch([claimed], 500);
  const { taskId } = claimed;
  // The step whose output is referred to, and the step itself, whose input an operator may have
  // corrected.
  expect(asked).toEqual([
    { taskId, name: null },
    { taskId, name: "card" },
    { taskId, name: "charge" },
  ]);
  expect(StepRequest.decode(published[0]!.body).input).toEqual({ amount: 30, card: "card-1" });
});

test("an input that an operator has corrected to null is sent as null", async () => {
  const correctedInputs = new Map([["charge", null]]);
  const load = async () => ({ ...values, correctedInputs });
  const { dispatch, published } = dispatching(undefined, undefined, load);
  await dispatch([claim("charge")], 500);
  expect(StepRequest.decode(published[0]!.body).input).toBeNull();
});

test("inputs that came with the claim are not loaded again", async () => {
  const { dispatch, published, asked } = dispatching();
  await dispatch(
    [
      claim("weigh", { taskInput: { total: 40 } }),
      claim("weigh"),
      claim("charge", { taskInput: { total: 40 } }),
    ],
    500,
  );
  const inputs = published.map(({ body }) => StepRequest.decode(body).input);
  expect(inputs).toEqual([{ amount: 40 }, { amount: 30 }, { amount: 30, card: "card-1" }]);
  expect(new Set(asked.map(({ taskId }) => taskId))).toEqual(
    new Set(published.slice(1).map(({ correlationId }) => correlationId)),
  );
});

test.each([
  ["a step whose workflow is not stored", claim("charge", { workflow: "gone.v1" })],
  ["a step that is not in its workflow", claim("renamed")],
  [
    "a step whose input breaks the contract of its operation",
    claim("weigh", { taskInput: { total: [] } }),
  ],
  [
    "a step whose input is larger than a payload may be",
    claim("weigh", { taskInput: { total: "x".repeat(300 * 1024) } }),
  ],
  [
    "a step whose input refers to a large value again and again",
    claim("repeat", { taskInput: { total: "x".repeat(200 * 1024) } }),
  ],
])("%s fails for good and without effect, and the others of its batch go out", async (_, odd) => {
  const { dispatch, published, applied } = dispatching();
  const others = [claim(), claim()];
  await dispatch([others[0]!, odd, others[1]!], 500);
  expect(published.map(({ correlationId }) => correlationId)).toEqual(
    others.map(({ taskId }) => taskId),
  );
  expect(applied).toMatchObject([
    { taskId: odd.taskId, event: { kind: "failed", transient: false, effect: "none" } },
  ]);
});

test.each([
  ["refers to a step without an output", claim("lost"), /Step gone has no output/],
  [
    "has no value that its contract needs",
    claim("note", { taskInput: {} }),
    /nothing at \/input\/note\/text.*The input at \/ must have required property 'text'/,
  ],
  [
    "has a null that its contract does not take",
    claim("note", { taskInput: { note: null } }),
    /nothing at \/input\/note\/text.*The input at \/text must be string/,
  ],
])("a step whose input %s is parked, and nothing was sent", async (_, odd, detail) => {
  const { dispatch, published, applied } = dispatching();
  await dispatch([odd, claim()], 500);
  expect(published).toHaveLength(1);
  expect(applied).toMatchObject([
    {
      taskId: odd.taskId,
      faultDetail: expect.stringMatching(detail),
      event: { kind: "parked", code: "step.input_unresolvable", unsent: true },
    },
  ]);
});

test("an optional value that is missing is left out of the input", async () => {
  const { dispatch, published } = dispatching();
  await dispatch([claim("note", { taskInput: { note: { text: "news" } } })], 500);
  expect(StepRequest.decode(published[0]!.body).input).toEqual({ text: "news" });
});

test("a wrong value that is there is not said to be missing, whatever else is", async () => {
  const { dispatch, applied } = dispatching();
  await dispatch([claim("note", { taskInput: { note: { text: 5 } } })], 500);
  expect(applied).toMatchObject([{ event: { kind: "failed", code: "step.input_invalid" } }]);
});

test("an input that breaks the contract of its operation is reported with the place and the reason", async () => {
  const { dispatch, applied } = dispatching();
  await dispatch([claim("weigh", { taskInput: { total: [] } })], 500);
  expect(applied).toMatchObject([
    {
      event: { code: "step.input_invalid" },
      faultDetail: "The input at /amount must be number,string",
    },
  ]);
});

const withInput = (bytes: number) =>
  claim("weigh", { taskInput: { total: "x".repeat(bytes - `{"amount":""}`.length) } });

test("an input that is too large is named with its size, and one of exactly the limit goes out", async () => {
  const { dispatch, published, applied } = dispatching();
  await dispatch([withInput(256 * 1024), withInput(256 * 1024 + 1)], 500);
  expect(published).toHaveLength(1);
  expect(applied).toMatchObject([
    {
      faultDetail: "The input of weigh is 262145 bytes long, of at most 262144",
      event: { code: "step.input_too_large" },
    },
  ]);
});
