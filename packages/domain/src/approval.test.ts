import { describe, expect, test } from "@jest/globals";
import {
  type ApprovalDecision,
  approvalOutput,
  decidedBy,
  excludedFrom,
  isExcluded,
  rejectionText,
} from "./approval.ts";
import { lookupIn } from "./template.ts";

const said = (id: string, given: Partial<ApprovalDecision> = {}): ApprovalDecision => ({
  id,
  name: `${id} of treasury`,
  decision: "approve",
  reason: null,
  form: null,
  at: "2026-01-01T12:00:00.000Z",
  ...given,
});
const rejects = { decision: "reject", reason: "it is too much" } as const;

describe("what people have decided about a step", () => {
  test.each([
    ["nothing before anyone has decided", 1, [], null],
    ["an approval once the one has approved who is enough", 1, [said("ada")], "approval"],
    ["nothing while one of two has approved", 2, [said("ada")], null],
    ["an approval once two have who are two people", 2, [said("ada"), said("bob")], "approval"],
    ["nothing if one of two has approved twice", 2, [said("ada"), said("ada")], null],
    [
      "an approval, also if more have approved",
      2,
      ["ada", "bob", "eve"].map((id) => said(id)),
      "approval",
    ],
    ["a rejection as soon as one rejects", 20, [said("ada", rejects)], "rejection"],
    [
      "a rejection, whoever has approved before",
      3,
      [said("ada"), said("bob", rejects)],
      "rejection",
    ],
    ["a rejection, whoever approves after it", 1, [said("bob", rejects), said("ada")], "rejection"],
  ])("is %s", (_, quorum, decisions, expected) => {
    expect(decidedBy({ quorum }, decisions)).toBe(expected);
  });

  test("is returned with who approved, when and why, and with the form of the last of them", () => {
    const later = "2026-01-01T13:00:00.000Z";
    const decisions = [
      said("ada", { form: { account: 1 }, reason: "as agreed" }),
      said("bob", { form: { account: 2 }, at: later }),
    ];
    expect(approvalOutput(decisions)).toEqual({
      decision: "approved",
      by: [
        { id: "ada", name: "ada of treasury", at: decisions[0]!.at, reason: "as agreed" },
        { id: "bob", name: "bob of treasury", at: later, reason: null },
      ],
      form: { account: 2 },
    });
  });

  test("has no form where none is filled in, and where its deadline decided", () => {
    expect(approvalOutput([said("ada")])).toMatchObject({ form: null });
    expect(approvalOutput([])).toEqual({ decision: "approved", by: [], form: null });
  });

  test("is said of a rejection with who rejected it, and why", () => {
    expect(rejectionText([said("ada"), said("bob", rejects)])).toBe(
      "bob of treasury rejected it: it is too much",
    );
  });
});

describe("who may not decide a step", () => {
  const values: Readonly<Record<string, unknown>> = {
    "/input/buyer": "eve",
    "/input/amount": 7,
    "/input/empty": "",
    "/input/none": null,
    "/steps/a/by": "bob",
  };
  const excluded = (...refs: readonly string[]) =>
    excludedFrom(
      refs.map((ref) => ({ $ref: ref })),
      (pointer) => values[pointer] as string | undefined,
    );

  test("is no one in particular unless the workflow says so", () => {
    expect(excluded()).toEqual([]);
  });

  test("is each of those whom the workflow names, or whom a value does", () => {
    expect(excluded("/input/buyer", "/steps/a/by")).toEqual(["eve", "bob"]);
    expect(excludedFrom(["mallory"], () => undefined)).toEqual(["mallory"]);
  });

  test.each(["/input/amount", "/input/empty", "/input/none", "/input/nothing"])(
    "is not known if one of them is no id, as %s",
    (ref) => {
      expect(excluded("/input/buyer", ref)).toBeNull();
    },
  );
});

describe("a principal of the audience", () => {
  const valueOf = lookupIn({ input: { requester: "ada" }, outputs: new Map() });
  const requester = { $ref: "/input/requester" };
  const terms = { excludesSubmitter: false, excludes: [] };

  test.each([
    ["may decide whom nothing excludes", terms, "ada", "ada", false],
    ["may not who submitted it", { ...terms, excludesSubmitter: true }, "ada", "ada", true],
    ["may who did not", { ...terms, excludesSubmitter: true }, "ada", "bob", false],
    ["may not if none knows who did", { ...terms, excludesSubmitter: true }, "ada", null, true],
    ["may not whom a value names", { ...terms, excludes: [requester] }, "ada", "bob", true],
    ["may whom no value names", { ...terms, excludes: [requester] }, "bob", "bob", false],
    [
      "may not if a value names none",
      { ...terms, excludes: [requester, { $ref: "/input/deputy" }] },
      "bob",
      "bob",
      true,
    ],
  ])("%s", (_, given, id, submittedBy, expected) => {
    expect(isExcluded(given, { id, submittedBy, valueOf })).toBe(expected);
  });
});
