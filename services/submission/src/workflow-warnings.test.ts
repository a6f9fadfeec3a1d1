import type { WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { flowWarnings, warningsOf } from "./workflow-warnings.ts";

const book = { agent: "hotels", operation: "book", undo: null };
const hotels = (operations: readonly string[] | null) => ({
  agent: "hotels",
  knownFor: 1,
  operations,
  isSilent: false,
});

test("an Agent and an operation that several steps need are named once", () => {
  const steps = [book, book];
  expect(warningsOf({ steps }, [])).toEqual([
    "No Agent hotels has ever announced itself: its steps wait until one does.",
  ]);
  expect(warningsOf({ steps }, [hotels([])])).toEqual([
    "The Agent hotels has not announced the operation book. It announced: none.",
  ]);
});

test("an Agent with many operations is shown with those of the nearest names", () => {
  const operations = ["cancel", "move", "boo", "extend", "describe", "pay", "refund"];
  const [warning] = warningsOf({ steps: [book] }, [hotels(operations)]);
  expect(warning).toMatch(/It announced: boo, .* and 2 more\.$/);
});

test("an Agent that does not say which operations it has gets no warning", () => {
  expect(warningsOf({ steps: [book] }, [hotels(null)])).toEqual([]);
});

test("a value that may be missing is said with what it leads to: a step that waits fails", async () => {
  const deputy = { $ref: "/steps/first/deputy" };
  const policy = { after: ["first"], onlyIf: null, onFailure: "undo" };
  const call = { agent: "hotels", operation: "book", ...policy };
  const approval = { audience: "desk", quorum: 1, excludesSubmitter: false, excludes: [deputy] };
  const definition = {
    name: "book-trip.v1",
    inputSchema: {},
    steps: [
      { ...call, name: "first", after: [], input: {} },
      { ...call, name: "next", input: { deputy } },
      { kind: "approval", name: "release", ...approval, within: null, show: {}, ...policy },
    ],
    completeWithin: null,
    output: null,
    inputs: { "hotels.book": { type: "object", properties: { deputy: { type: "string" } } } },
  };
  const warnings = await flowWarnings(definition as unknown as WorkflowDefinition);
  expect(warnings).toEqual([
    expect.stringMatching(/^Step next takes .*: without it the task halts before the step\.$/),
    expect.stringMatching(/^Step release takes .*: without it the step fails as it begins\.$/),
  ]);
});
