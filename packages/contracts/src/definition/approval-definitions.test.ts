import type { WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { compileTaskInput } from "../flow/check-missing.ts";
import { overlongWaits } from "../flow/longest-wait.ts";
import { valueFlow } from "../flow/value-flow.ts";
import { compileForm, openForm } from "./check-form.ts";
import { definitionHash, meansTheSame } from "./definition-hash.ts";
import { definitionFaults, validateDefinition } from "./validate-definition.ts";

const day = 86_400_000;
const hour = 3_600_000;
const release = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { account: { $ref: "#/definitions/account" }, note: { type: "string" } },
  required: ["account"],
  definitions: { account: { type: "string", minLength: 3 } },
};
const forms = { release };
const approval = (more: object = {}) => ({
  kind: "approval",
  name: "release",
  after: [],
  onlyIf: null,
  audience: "treasury",
  quorum: 2,
  excludesSubmitter: true,
  excludes: [],
  within: 2 * day,
  remindAfter: 4 * hour,
  onDeadline: "reject",
  show: {},
  onFailure: "undo",
  ...more,
});
const pay = (input: object, more: object = {}) => ({
  name: "pay",
  agent: "payments",
  operation: "pay",
  input,
  after: ["release"],
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
  format: 4,
  name: "paying.v1",
  inputSchema: {
    type: "object",
    properties: { requester: { type: "string" }, deputy: { type: "string" } },
    required: ["requester"],
  },
  completeWithin: null,
  output: null,
  inputs: {
    "payments.pay": {
      type: "object",
      properties: { account: { type: "string" } },
      required: ["account"],
    },
  },
  forms,
  steps,
  ...more,
});
const asDefinition = (definition: object) => definition as unknown as WorkflowDefinition;
const requester = { $ref: "/input/requester" };
const deputy = { $ref: "/input/deputy" };
const account = { $ref: "/steps/release/form/account" };

describe("a definition with a step that people decide", () => {
  test.each<[string, object]>([
    ["one of them for some days", workflow([approval({ quorum: 1 })])],
    ["twenty of them for ever", workflow([approval({ quorum: 20, within: null })])],
    ["without reminders", workflow([approval({ remindAfter: null })])],
    ["and fill in nothing", workflow([approval()], { forms: undefined })],
    ["unless the input says that it is they", workflow([approval({ excludes: [requester] })])],
    [
      "unless an earlier step says that it is they",
      workflow(
        [
          pay({ account: "a" }, { after: [] }),
          approval({ after: ["pay"], excludes: [{ $ref: "/steps/pay/by" }] }),
        ],
        { outputs: { "payments.pay": { type: "object", required: ["by"] } } },
      ),
    ],
    [
      "unless a text that is put together names them",
      workflow([approval({ excludes: [{ $concat: ["application:", requester] }] })]),
    ],
    ["and see values of the task", workflow([approval({ show: { of: requester, deputy } })])],
    ["and hand on what they fill in", workflow([approval(), pay({ account })])],
    [
      "and hand on what they may have filled in, where it is there",
      workflow([
        approval({ onDeadline: "approve" }),
        pay({ account }, { onlyIf: { exists: account } }),
      ]),
    ],
    [
      "and use who approved it",
      workflow([approval()], { output: { $ref: "/steps/release/by/0/id" } }),
    ],
    ["within as long as a task may take", workflow([approval()], { completeWithin: 2 * day })],
  ])("may have them decide %s", (_, definition) => {
    expect(definitionFaults(JSON.parse(JSON.stringify(definition)))).toEqual([]);
  });

  test.each<[string, object, string, RegExp]>([
    [
      "with a form of a step that people do not decide",
      workflow([approval(), pay({ account })], { forms: { release, pay: {}, "a~b": {} } }),
      "/forms/pay",
      /no approval is named "pay": remove it/,
    ],
    [
      "with a form of no step",
      workflow([approval()], { forms: { release, "a~b": {} } }),
      "/forms/a~0b",
      /no approval is named "a~b"/,
    ],
    [
      "whose form has no schema that is one",
      workflow([approval()], { forms: { release: { type: "thing" } } }),
      "/forms/release",
      /no JSON Schema/,
    ],
    [
      "whose form refers to nothing",
      workflow([approval()], { forms: { release: { $ref: "#/no" } } }),
      "/forms/release",
      /reference/,
    ],
    [
      "by whom none can be",
      workflow([approval({ audience: "The Board" })]),
      "/steps/0/audience",
      /pattern/,
    ],
    ["by nobody", workflow([approval({ audience: undefined })]), "/steps/0/audience", /required/],
    ["by none of them", workflow([approval({ quorum: 0 })]), "/steps/0/quorum", />= 1/],
    ["by a crowd", workflow([approval({ quorum: 21 })]), "/steps/0/quorum", /<= 20/],
    ["by half of one", workflow([approval({ quorum: 0.5 })]), "/steps/0/quorum", /integer/],
    ["without a limit", workflow([approval({ within: undefined })]), "/steps/0/within", /required/],
    ["within no time", workflow([approval({ within: 0 })]), "/steps/0/within", />= 1/],
    [
      "within more than a hundred years",
      workflow([approval({ within: 4e12 })]),
      "/steps/0/within",
      /<= 3155760000000/,
    ],
    [
      "within longer than a task may take",
      workflow([approval()], { completeWithin: day }),
      "/steps/0/within",
      /is 2 d, longer than the 24 h that a task may take as a whole/,
    ],
    [
      "and reminded as late as their time is over",
      workflow([approval({ remindAfter: 2 * day })]),
      "/steps/0/remindAfter",
      /is 2 d, and they have 2 d to decide/,
    ],
    [
      "and reminded without a pause",
      workflow([approval({ remindAfter: 0 })]),
      "/steps/0/remindAfter",
      />= 1/,
    ],
    [
      "without a word of what follows",
      workflow([approval({ onDeadline: undefined })]),
      "/steps/0/onDeadline",
      /required/,
    ],
    [
      "and go on without them",
      workflow([approval({ onDeadline: "continue" })]),
      "/steps/0/onDeadline",
      /equal to one of/,
    ],
    ["as a signal", workflow([approval({ signal: "paid" })]), "/steps/0/signal", /additional/],
    [
      "in format 3",
      workflow([approval()], { format: 3 }),
      "/format",
      /must be 4: step "release" waits for people to decide, which format 3/,
    ],
    [
      "except one whose id is written down",
      workflow([approval({ excludes: ["submitter"] })]),
      "/steps/0/excludes/0",
      /"submitter" is no place of an id: name one, .*; excludesSubmitter is for/,
    ],
    [
      "except what is no template",
      workflow([approval({ excludes: [requester, { $ref: "/elsewhere" }] })]),
      "/steps/0/excludes/1",
      /\$ref must be/,
    ],
    [
      "except more than ten",
      workflow([approval({ excludes: Array.from({ length: 11 }, () => requester) })]),
      "/steps/0/excludes",
      /more than 10/,
    ],
    [
      "except one who may not be named",
      workflow([approval({ excludes: [requester, deputy] })]),
      "/steps/0/excludes/1",
      /excludes the principal of \/input\/deputy, which may be missing or null by \/inputSchema, so it would not be known who/,
    ],
    [
      "except one whom the input never names",
      workflow([approval({ excludes: [{ $ref: "/input/boss" }] })]),
      "/steps/0/excludes/0",
      /never there by \/inputSchema/,
    ],
    [
      "except one whom a later step names",
      workflow([approval({ excludes: [{ $ref: "/steps/pay/by" }] }), pay({ account })]),
      "/steps/0",
      /refers to step "pay", which is not before it/,
    ],
    [
      "and shown what a later step returns",
      workflow([approval({ show: { paid: { $ref: "/steps/pay/by" } } }), pay({ account })]),
      "/steps/0",
      /refers to step "pay", which is not before it/,
    ],
    [
      "and shown their own decision",
      workflow([approval({ show: account })]),
      "/steps/0",
      /refers to step "release", which is not before it/,
    ],
    [
      "and shown what the input never has",
      workflow([approval({ show: { boss: { $ref: "/input/boss" } } })]),
      "/steps/0/show/boss",
      /never there by \/inputSchema/,
    ],
    [
      "and shown what is no template",
      workflow([approval({ show: { $refer: "/input" } })]),
      "/steps/0/show",
      /unknown key \$refer/,
    ],
    [
      "of which a later step uses what they do not fill in",
      workflow([approval(), pay({ account: { $ref: "/steps/release/form/acount" } })]),
      "/steps/1/input/account",
      /never there by \/forms\/release/,
    ],
    [
      "of which a later step needs what they may leave out",
      workflow([approval(), pay({ account: { $ref: "/steps/release/form/note" } })]),
      "/steps/1/input/account",
      /may be missing or null by \/forms\/release/,
    ],
    [
      "who may fill in nothing, and a later step needs it",
      workflow([approval({ onDeadline: "approve" }), pay({ account })]),
      "/steps/1/input/account",
      /may be missing or null by \/forms\/release/,
    ],
    [
      "who are asked to fill in nothing, and a later step needs it",
      workflow([approval(), pay({ account })], { forms: {} }),
      "/steps/1/input/account",
      /never there by what an approval returns/,
    ],
  ])("is refused: decided %s", (_, definition, pointer, detail) => {
    expect(definitionFaults(JSON.parse(JSON.stringify(definition)))).toContainEqual({
      pointer,
      detail: expect.stringMatching(detail),
    });
  });

  test("names the step that is wrong in the words of its author", () => {
    expect(() =>
      validateDefinition(workflow([approval({ remindAfter: 3 * day })], { completeWithin: day })),
    ).toThrow(
      /paying\.v1, step "release": remindAfter: is 3 d.*\npaying\.v1, step "release": within: is 2 d/s,
    );
  });

  test("knows what a form that refers to its own definitions has", () => {
    const definition = asDefinition(workflow([approval(), pay({ account })]));
    expect(valueFlow(definition)).toMatchObject({ faults: [], open: [], isComplete: true });
  });

  test("counts its limit among the waits of a task", () => {
    const steps = [approval(), approval({ name: "again", after: ["release"] })];
    const definition = asDefinition(workflow(steps, { completeWithin: 3 * day }));
    expect(overlongWaits(definition)).toContain("for 4 d");
  });

  test("refuses a task of which an input that need not be there is to name who may not decide", () => {
    const inputSchema = { type: "object", properties: { by: {} }, required: [] };
    const definition = asDefinition(
      workflow([approval({ excludes: [{ $ref: "/input/by/id" }] })], { inputSchema }),
    );
    const check = compileTaskInput(definition);
    expect(check({ by: { id: "ada" } })).toEqual([]);
    expect(check({ by: { id: "" } })).toEqual([
      { pointer: "/by/id", detail: expect.stringMatching(/fewer than 1.*excludes this principal/) },
    ]);
    expect(check({ by: "ada" })).toEqual([
      {
        pointer: "/by/id",
        detail: 'is missing: step "release" excludes this principal from its decision',
      },
    ]);
  });
});

describe("the schema of a form", () => {
  const of = (schema: object) =>
    asDefinition(workflow([approval()], { forms: { release: schema } }));
  const titled = { title: "Release", ...release };
  const other = { ...release, required: [] };

  test("counts by what it means, and not by how a library prints it", () => {
    expect(definitionHash(of(titled))).toBe(definitionHash(of(release)));
    expect(definitionHash(of(other))).not.toBe(definitionHash(of(release)));
    expect(meansTheSame(of(titled), of(release))).toBe(true);
    expect(meansTheSame(of(other), of(release))).toBe(false);
  });

  test("says where a form is wrong, fields that it does not name included", async () => {
    const wrong = { account: "1", more: 1 };
    const found = compileForm(of(release), "release")(wrong);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        { pointer: "/account", detail: expect.stringContaining("fewer than 3") },
        { pointer: "/more", detail: "unknown field: the form has no such field" },
      ]),
    );
    expect(await openForm(of(release), "release")(wrong)).toEqual(found);
    expect(compileForm(of(release), "release")(null)).toEqual([
      { pointer: "", detail: "must be object" },
    ]);
    expect(compileForm(of(release), "release")({ account: "123" })).toEqual([]);
  });

  test("is filled in by none where the step has none", async () => {
    const none = asDefinition(workflow([approval()], { forms: undefined }));
    expect(await openForm(none, "release")(null)).toEqual([]);
    expect(await openForm(none, "toString")(null)).toEqual([]);
    expect(compileForm(none, "release")({})).toEqual([
      { pointer: "", detail: "is not asked for: the step has no form" },
    ]);
  });
});
