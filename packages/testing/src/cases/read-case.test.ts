import { schemaCompiler } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { caseSchema } from "./case-schema.ts";
import { readCase } from "./read-case.ts";

const whole = {
  name: "a trip is booked",
  workflow: "book-trip.v1",
  input: { city: "Rome" },
  expect: { state: "processed" },
};
const withSteps = (...behaviours: readonly Json[]): Json => ({
  ...whole,
  steps: { room: behaviours },
});

const { check } = schemaCompiler({ allErrors: false })(
  JSON.parse(JSON.stringify(caseSchema)) as { readonly [key: string]: Json },
);

test.each<[string, Json]>([
  ["with nothing but what is needed", whole],
  ["with a reply", withSteps({ reply: null })],
  [
    "with faults",
    withSteps(
      { fail: "hotels.down" },
      { fail: { code: "hotels.full", transient: false, effect: "none" } },
    ),
  ],
  ["with a refusal", withSteps({ decline: "hotels.full", times: 3 })],
  ["with silence", withSteps({ silence: true, times: "always" })],
  ["with a late reply", withSteps({ late: { id: "1" }, by: "2h" })],
  ["with a crash", withSteps({ crash: true })],
  [
    "with decisions",
    {
      ...whole,
      submittedBy: "sam",
      decisions: [
        { step: "release", by: "ada", decision: "approve", after: "2h", form: { account: 1 } },
        { step: "release", by: "bob", decision: "reject", reason: "no", after: "3h", times: 2 },
        { step: "a", by: "c", decision: "approve", after: "1s", refused: "approval.excluded" },
      ],
    },
  ],
  ["that is cancelled meanwhile", { ...whole, cancelAfter: "1d" }],
  ["with time that passes", withSteps({ advance: "2h", reply: 1 })],
  [
    "with expectations of steps",
    {
      ...whole,
      expect: {
        steps: { room: { state: "error", attempts: 2, faultCode: null } },
        calls: ["room"],
        within: "1h",
      },
    },
  ],
])("a case %s is read, and fits the schema for editors", (_, json) => {
  expect(readCase(json).faults).toEqual([]);
  expect(check(json).errors).toEqual([]);
});

test.each<[string, Json, string, RegExp]>([
  ["is no object", [], "", /must be an object with .*name, workflow, input/],
  [
    "has a field that there is not",
    { ...whole, inputs: 1 },
    "/inputs",
    /is not known here; allowed are .*input/,
  ],
  [
    "has no input",
    { name: "x", workflow: "y", expect: { state: "halted" } },
    "/input",
    /is missing/,
  ],
  ["expects nothing", { ...whole, expect: {} }, "/expect", /must expect something: state/],
  [
    "expects a state that there is not",
    { ...whole, expect: { state: "done" } },
    "/expect/state",
    /must be one of pending, processing/,
  ],
  [
    "has a behaviour of no kind",
    withSteps({}),
    "/steps/room/0",
    /one of reply, fail, decline, silence, late, crash/,
  ],
  [
    "has a behaviour of two kinds",
    withSteps({ reply: 1, fail: "x" }),
    "/steps/room/0",
    /not with reply and fail/,
  ],
  [
    "has an unknown option",
    withSteps({ reply: 1, after: "1s" }),
    "/steps/room/0/after",
    /allowed are reply, advance, times/,
  ],
  [
    "names no duration",
    withSteps({ advance: "2 hours", reply: 1 }),
    "/steps/room/0/advance",
    /such as 30s/,
  ],
  [
    "is cancelled after no duration",
    { ...whole, cancelAfter: "tomorrow" },
    "/cancelAfter",
    /such as 30s/,
  ],
  ["is submitted by none", { ...whole, submittedBy: "" }, "/submittedBy", /must be a text/],
  ["decides what is no list", { ...whole, decisions: {} }, "/decisions", /must be a list of what/],
  [
    "decides no step",
    { ...whole, decisions: [{ by: "a", decision: "approve", after: "1s" }] },
    "/decisions/0/step",
    /must be a text/,
  ],
  [
    "has none decide",
    { ...whole, decisions: [{ step: "a", decision: "approve", after: "1s" }] },
    "/decisions/0/by",
    /must be a text/,
  ],
  [
    "decides what there is not",
    { ...whole, decisions: [{ step: "a", by: "b", decision: "maybe", after: "1s" }] },
    "/decisions/0/decision",
    /must be one of approve, reject/,
  ],
  [
    "decides at no time",
    { ...whole, decisions: [{ step: "a", by: "b", decision: "approve" }] },
    "/decisions/0/after",
    /must be a number and/,
  ],
  [
    "rejects without a reason",
    { ...whole, decisions: [{ step: "a", by: "b", decision: "reject", after: "1s" }] },
    "/decisions/0/reason",
    /is missing: say why it is rejected/,
  ],
  [
    "rejects with a form",
    {
      ...whole,
      decisions: [{ step: "a", by: "b", decision: "reject", reason: "no", form: {}, after: "1s" }],
    },
    "/decisions/0/form",
    /is filled in to approve/,
  ],
  ["sends what is no list", { ...whole, signals: {} }, "/signals", /must be a list/],
  [
    "sends a signal without a name",
    { ...whole, signals: [{ after: "1s", payload: 1 }] },
    "/signals/0/name",
    /text that is not empty/,
  ],
  [
    "sends a signal at no time",
    { ...whole, signals: [{ name: "paid", payload: 1 }] },
    "/signals/0/after",
    /such as 30s/,
  ],
  [
    "sends a signal that carries nothing",
    { ...whole, signals: [{ name: "paid", after: "1s" }] },
    "/signals/0/payload",
    /is missing/,
  ],
  [
    "sends a signal never",
    { ...whole, signals: [{ name: "paid", after: "1s", payload: 1, times: 0 }] },
    "/signals/0/times",
    /from 1 to 1000/,
  ],
  [
    "sends a signal that waits",
    { ...whole, signals: [{ name: "paid", after: "1s", payload: 1, wait: true }] },
    "/signals/0/wait",
    /allowed are name, after, payload, id, times, refused/,
  ],
  [
    "repeats a behaviour never",
    withSteps({ reply: 1, times: 0 }),
    "/steps/room/0/times",
    /from 1 to 1000, or "always"/,
  ],
  [
    "has a permanent fault that is to be tried again",
    withSteps({ fail: { code: "a.b", transient: false, retryAfter: "1s" } }),
    "/steps/room/0/fail/retryAfter",
    /permanent fault is not tried again/,
  ],
  [
    "has a fault of another effect",
    withSteps({ fail: { code: "a.b", effect: "some" } }),
    "/steps/room/0/fail/effect",
    /none, unknown/,
  ],
  [
    "has a step that is no list",
    { ...whole, steps: { room: { reply: 1 } } },
    "/steps/room",
    /must be a list/,
  ],
])("a case that %s is refused with the place and what is allowed", (_, json, pointer, detail) => {
  const { faults } = readCase(json);
  expect(faults).toContainEqual({ pointer, detail: expect.stringMatching(detail) });
  expect(check(json).errors).not.toEqual([]);
});
