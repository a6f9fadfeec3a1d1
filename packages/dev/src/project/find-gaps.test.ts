import { type CallDefinition, type WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { findGaps } from "./find-gaps.ts";

const policy = {
  startWithin: 1,
  completeWithin: 1,
  retry: { failures: 1, backoff: 1, max: 1 },
  coolDown: null,
};
const step: CallDefinition = {
  ...policy,
  name: "send",
  agent: "mail",
  operation: "send",
  input: null,
  after: [],
  onlyIf: null,
  onFailure: "undo",
  undo: { ...policy, operation: "unsend", onFailure: "halt" },
};
const workflowOf = (changes: Partial<CallDefinition> = {}): WorkflowDefinition => ({
  format: 1,
  name: "welcome.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [{ ...step, ...changes }],
});

test("findGaps finds none when the Agent has the operation and its undo, or does not say which it has", () => {
  expect(findGaps(workflowOf(), new Map([["mail", ["send", "unsend"]]]))).toEqual([]);
  expect(findGaps(workflowOf(), new Map([["mail", null]]))).toEqual([]);
});

test("findGaps names the step whose Agent does not run, and the file that would add it", () => {
  expect(findGaps(workflowOf(), new Map())).toEqual([
    "No Agent mail for the step send: add agents/mail.ts, or start it with the AMQP URL.",
  ]);
});

test("findGaps names an undo that the Agent lacks", () => {
  expect(findGaps(workflowOf(), new Map([["mail", ["send"]]]))).toEqual([
    "The Agent mail has no operation unsend, which the step send needs. It has: send.",
  ]);
});

test("findGaps asks of a pool that one of its Agents is there", () => {
  const pool = workflowOf({ agents: ["mail", "post"], undo: null });
  expect(findGaps(pool, new Map([["post", ["send"]]]))).toEqual([]);
  expect(findGaps(pool, new Map())).toHaveLength(1);
});
