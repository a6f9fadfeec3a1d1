import type { WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { overlongWaits } from "../flow/longest-wait.ts";
import { definitionFaults } from "./validate-definition.ts";

const policy = {
  startWithin: 1,
  completeWithin: 1,
  retry: { failures: 1, backoff: 1, max: 1 },
  coolDown: null,
};
const call = (name: string, after: readonly string[], input: object = {}) => ({
  name,
  agent: "agent",
  operation: name,
  input,
  after,
  onlyIf: null,
  undo: null,
  onFailure: "undo",
  ...policy,
});
const wait = (name: string, of: object, after: readonly string[] = []) => ({
  kind: "wait",
  name,
  after,
  onlyIf: null,
  onFailure: "undo",
  ...of,
});
const at = { $ref: "/input/at" };
const workflow = (steps: readonly object[], more: object = {}) => ({
  format: 2,
  name: "waiting.v1",
  inputSchema: {
    type: "object",
    properties: { at: { type: "string" }, maybe: { type: "string" } },
    required: ["at"],
  },
  completeWithin: null,
  output: null,
  steps,
  ...more,
});

describe("a definition with a step that waits", () => {
  test.each<[string, object]>([
    ["for so long", workflow([wait("rest", { for: 1 })])],
    ["for a hundred years", workflow([wait("rest", { for: 36_525 * 86_400_000 })])],
    ["until a value says so", workflow([wait("rest", { until: at, atMost: 2 ** 40 })])],
    [
      "until an instant that is written down",
      workflow([wait("rest", { until: "2027-01-01T00:00:00Z" })]),
    ],
    [
      "and whose end a later step uses",
      workflow([wait("rest", { for: 1 }), call("b", ["rest"], { at: { $ref: "/steps/rest/at" } })]),
    ],
  ])("may wait %s", (_, definition) => {
    expect(definitionFaults(definition)).toEqual([]);
  });

  test.each<[string, object, string, RegExp]>([
    [
      "that says nothing of its end",
      workflow([wait("rest", {})]),
      "/steps/0/for",
      /either for or until/,
    ],
    [
      "that says two ends",
      workflow([wait("rest", { for: 1, until: at })]),
      "/steps/0/until",
      /either for or until/,
    ],
    ["of no time", workflow([wait("rest", { for: 0 })]), "/steps/0/for", />= 1/],
    ["of part of a millisecond", workflow([wait("rest", { for: 1.5 })]), "/steps/0/for", /integer/],
    [
      "of more than a hundred years",
      workflow([wait("rest", { for: 4e12 })]),
      "/steps/0/for",
      /<= 3155760000000/,
    ],
    [
      "until null",
      workflow([wait("rest", { until: null })]),
      "/steps/0/until",
      /null is no instant.*write one/,
    ],
    [
      "until no instant",
      workflow([wait("rest", { until: "tomorrow" })]),
      "/steps/0/until",
      /with its zone/,
    ],
    [
      "until a local time",
      workflow([wait("rest", { until: "2027-01-01T00:00:00" })]),
      "/steps/0/until",
      /with its zone/,
    ],
    [
      "until an object",
      workflow([wait("rest", { until: { a: 1 } })]),
      "/steps/0/until",
      /no instant/,
    ],
    [
      "until a value that may be missing",
      workflow([wait("rest", { until: { $ref: "/input/maybe" } })]),
      "/steps/0/until",
      /a wait needs an instant.*fallback/,
    ],
    [
      "until what a step returns that is not before it",
      workflow([wait("rest", { until: { $ref: "/steps/b/at" } }), call("b", ["rest"])]),
      "/steps/0",
      /is not before it/,
    ],
    [
      "with a limit and no value",
      workflow([wait("rest", { for: 1, atMost: 2 })]),
      "/steps/0/atMost",
      /leave it out/,
    ],
    [
      "with an Agent",
      workflow([wait("rest", { for: 1, agent: "a" })]),
      "/steps/0/agent",
      /additional/,
    ],
    [
      "of a kind that there is not",
      workflow([{ ...wait("rest", { for: 1 }), kind: "nap" }]),
      "/steps/0/kind",
      /constant/,
    ],
    [
      "in format 1",
      workflow([wait("rest", { for: 1 })], { format: 1 }),
      "/format",
      /must be 2.*"rest"/,
    ],
    [
      "of which a later step uses what there is not",
      workflow([wait("rest", { for: 1 }), call("b", ["rest"], { x: { $ref: "/steps/rest/x" } })]),
      "/steps/1/input/x",
      /never there/,
    ],
  ])("is refused: %s", (_, definition, pointer, detail) => {
    expect(definitionFaults(definition)).toContainEqual({
      pointer,
      detail: expect.stringMatching(detail),
    });
  });
});

describe("waits that last longer than a task may", () => {
  const of = (completeWithin: number | null, steps: readonly object[]) =>
    overlongWaits(workflow(steps, { completeWithin }) as WorkflowDefinition);
  const day = 86_400_000;

  test("are summed on the longest path, and not over branches", () => {
    const chain = [
      wait("a", { for: 2 * day }),
      call("b", ["a"]),
      wait("c", { for: 2 * day }, ["b"]),
    ];
    expect(of(3 * day, chain)).toContain("for 4 d on the longest path");
    expect(of(4 * day, chain)).toBeNull();
    const fork = [wait("a", { for: 2 * day }), wait("b", { for: 3 * day })];
    expect(of(3 * day, fork)).toBeNull();
  });

  test("count a wait until a value by its limit, and none where a task has no limit", () => {
    expect(of(day, [wait("a", { until: at, atMost: 2 * day })])).toContain("2 d");
    expect(of(day, [wait("a", { until: at })])).toBeNull();
    expect(of(null, [wait("a", { for: 9 * day })])).toBeNull();
  });
});
