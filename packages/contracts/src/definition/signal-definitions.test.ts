import type { WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { overlongWaits } from "../flow/longest-wait.ts";
import { valueFlow } from "../flow/value-flow.ts";
import { compileSignal, openSignal, signalContract } from "./check-signal.ts";
import { definitionHash, meansTheSame } from "./definition-hash.ts";
import { definitionFaults } from "./validate-definition.ts";

const day = 86_400_000;
const paid = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { id: { $ref: "#/definitions/id" }, note: { type: "string" } },
  required: ["id"],
  definitions: { id: { type: "string", minLength: 3 } },
};
const signals = { paid };
const wait = (name: string, more: object = {}) => ({
  kind: "signal",
  name,
  after: [],
  onlyIf: null,
  signal: "paid",
  within: 3 * day,
  onDeadline: "fail",
  onFailure: "undo",
  ...more,
});
const book = (input: object, more: object = {}) => ({
  name: "book",
  agent: "trips",
  operation: "book",
  input,
  after: ["paid"],
  onlyIf: null,
  startWithin: 1,
  completeWithin: 1,
  retry: { failures: 1, backoff: 1, max: 1 },
  coolDown: null,
  undo: null,
  onFailure: "undo",
  ...more,
});
const workflow = (steps: readonly object[], more: object = {}) => ({
  format: 3,
  name: "paying.v1",
  inputSchema: { type: "object" },
  completeWithin: null,
  output: null,
  inputs: {
    "trips.book": {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
    },
  },
  signals,
  steps,
  ...more,
});
const id = { $ref: "/steps/paid/payload/id" };

describe("a definition with a step that waits for a signal", () => {
  test.each<[string, object]>([
    ["for some days", workflow([wait("paid")])],
    ["for a hundred years", workflow([wait("paid", { within: 36_525 * day })])],
    [
      "for ever, with an alert to what comes late",
      workflow([wait("paid", { within: null, late: "alert" })]),
    ],
    ["and go on without it", workflow([wait("paid", { onDeadline: "continue" })])],
    ["that another step waits for, too", workflow([wait("paid"), wait("more")])],
    ["and hand on what it carries", workflow([wait("paid"), book({ id })])],
    [
      "and hand on what it may carry, where it is there",
      workflow([
        wait("paid", { onDeadline: "continue" }),
        book({ id }, { onlyIf: { exists: id } }),
      ]),
    ],
    ["and use what ended it", workflow([wait("paid")], { output: { $ref: "/steps/paid/fired" } })],
  ])("may wait %s", (_, definition) => {
    expect(definitionFaults(definition)).toEqual([]);
  });

  test.each<[string, object, string, RegExp]>([
    [
      "that no schema describes",
      workflow([wait("paid")], { signals: {} }),
      "/signals/paid",
      /"paid", which has no schema: say what it carries/,
    ],
    [
      "in a workflow without signals",
      workflow([wait("paid", { signal: "a~b" })], { signals: undefined }),
      "/signals/a~0b",
      /no schema/,
    ],
    [
      "beside a schema for which no step waits",
      workflow([wait("paid")], { signals: { ...signals, seen: {} } }),
      "/signals/seen",
      /no step waits for "seen": remove it/,
    ],
    [
      "whose schema is none",
      workflow([wait("paid")], { signals: { paid: { type: "thing" } } }),
      "/signals/paid",
      /no JSON Schema/,
    ],
    [
      "whose schema refers to nothing",
      workflow([wait("paid")], { signals: { paid: { $ref: "#/no" } } }),
      "/signals/paid",
      /reference/,
    ],
    [
      "of a name that none may have",
      workflow([wait("paid", { signal: "a:b" })], { signals: { "a:b": {} } }),
      "/steps/0/signal",
      /pattern/,
    ],
    [
      "without a limit",
      workflow([wait("paid", { within: undefined })]),
      "/steps/0/within",
      /required/,
    ],
    ["within no time", workflow([wait("paid", { within: 0 })]), "/steps/0/within", />= 1/],
    [
      "within less than no time",
      workflow([wait("paid", { within: -1 })]),
      "/steps/0/within",
      />= 1/,
    ],
    [
      "within more than a hundred years",
      workflow([wait("paid", { within: 4e12 })]),
      "/steps/0/within",
      /<= 3155760000000/,
    ],
    [
      "without a word of what follows",
      workflow([wait("paid", { onDeadline: undefined })]),
      "/steps/0/onDeadline",
      /required/,
    ],
    [
      "with something else than an alert",
      workflow([wait("paid", { late: "log" })]),
      "/steps/0/late",
      /constant/,
    ],
    ["for so long", workflow([wait("paid", { for: 1 })]), "/steps/0/for", /additional/],
    [
      "in format 2",
      workflow([wait("paid")], { format: 2 }),
      "/format",
      /must be 3: step "paid" waits for a signal, which format 2/,
    ],
    [
      "of which a later step uses what it does not carry",
      workflow([wait("paid"), book({ id: { $ref: "/steps/paid/payload/ie" } })]),
      "/steps/1/input/id",
      /never there by \/signals\/paid/,
    ],
    [
      "of which a later step needs what it may not carry",
      workflow([wait("paid"), book({ id: { $ref: "/steps/paid/payload/note" } })]),
      "/steps/1/input/id",
      /may be missing or null by \/signals\/paid/,
    ],
    [
      "that may not come, and a later step needs it",
      workflow([wait("paid", { onDeadline: "continue" }), book({ id })]),
      "/steps/1/input/id",
      /may be missing or null by \/signals\/paid/,
    ],
  ])("is refused: %s", (_, definition, pointer, detail) => {
    expect(definitionFaults(JSON.parse(JSON.stringify(definition)))).toContainEqual({
      pointer,
      detail: expect.stringMatching(detail),
    });
  });

  test("knows what a payload that refers to its own definitions has", () => {
    const definition = workflow([wait("paid"), book({ id })]) as unknown as WorkflowDefinition;
    expect(valueFlow(definition)).toMatchObject({ faults: [], open: [], isComplete: true });
  });

  test("counts its limit among the waits of a task", () => {
    const definition = workflow([wait("paid")], { completeWithin: day });
    expect(overlongWaits(definition as unknown as WorkflowDefinition)).toContain("for 3 d");
    const endless = workflow([wait("paid", { within: null })], { completeWithin: day });
    expect(overlongWaits(endless as unknown as WorkflowDefinition)).toBeNull();
  });
});

describe("the schema of a signal", () => {
  const of = (schema: object) =>
    workflow([wait("paid")], { signals: { paid: schema } }) as unknown as WorkflowDefinition;
  const titled = { title: "Paid", ...paid };
  const other = { ...paid, required: [] };

  test("counts by what it means, and not by how a library prints it", () => {
    expect(definitionHash(of(titled))).toBe(definitionHash(of(paid)));
    expect(definitionHash(of(other))).not.toBe(definitionHash(of(paid)));
    expect(meansTheSame(of(titled), of(paid))).toBe(true);
    expect(meansTheSame(of(other), of(paid))).toBe(false);
    expect(signalContract(of(titled), "paid")).toBe(signalContract(of(paid), "paid"));
    expect(signalContract(of(other), "paid")).not.toBe(signalContract(of(paid), "paid"));
    expect(signalContract(of(paid), "seen")).toBeNull();
  });

  test("says where a payload is wrong, fields that it does not name included", async () => {
    const wrong = { id: "1", more: 1 };
    const faults = [
      { pointer: "/id", detail: expect.stringContaining("fewer than 3") },
      { pointer: "/more", detail: "unknown field: the signal has no such field" },
    ];
    const found = compileSignal(of(paid), "paid")?.(wrong);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(faults));
    expect(await openSignal(of(paid), "paid")?.(wrong)).toEqual(found);
    expect(await openSignal(of(paid), "paid")?.({})).toEqual([
      { pointer: "/id", detail: "is missing" },
    ]);
    expect(compileSignal(of(paid), "paid")?.({ id: "123" })).toEqual([]);
  });

  test("is that of no signal that no step waits for", () => {
    expect(openSignal(of(paid), "seen")).toBeNull();
    expect(compileSignal(of(paid), "toString")).toBeNull();
  });
});
