import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Json } from "./json.ts";
import { applyPatch, type JsonPatch, readChange } from "./json-patch.ts";

const input = { iban: "DE1", note: null, lines: [{ sku: "a" }, { sku: "b" }], "a/b~c": 1 };

test.each<[string, JsonPatch, Json]>([
  ["sets a field", [{ op: "add", path: "/iban", value: "DE2" }], { ...input, iban: "DE2" }],
  ["adds a field", [{ op: "add", path: "/bic", value: "X" }], { ...input, bic: "X" }],
  ["sets null", [{ op: "add", path: "/iban", value: null }], { ...input, iban: null }],
  ["replaces what is null", [{ op: "replace", path: "/note", value: 1 }], { ...input, note: 1 }],
  [
    "goes into a list",
    [{ op: "replace", path: "/lines/1/sku", value: "c" }],
    { ...input, lines: [{ sku: "a" }, { sku: "c" }] },
  ],
  [
    "adds to a list, at a place and at its end",
    [
      { op: "add", path: "/lines/0", value: 0 },
      { op: "add", path: "/lines/-", value: 9 },
    ],
    { ...input, lines: [0, { sku: "a" }, { sku: "b" }, 9] },
  ],
  [
    "removes from a list",
    [{ op: "remove", path: "/lines/0" }],
    { ...input, lines: [{ sku: "b" }] },
  ],
  [
    "removes a field",
    [{ op: "remove", path: "/a~1b~0c" }],
    { iban: "DE1", note: null, lines: input.lines },
  ],
  [
    "tests before it changes",
    [
      { op: "test", path: "/lines/0", value: { sku: "a" } },
      { op: "replace", path: "", value: [] },
    ],
    [],
  ],
])("a patch %s", (_, patch, expected) => {
  expect(applyPatch(input, patch)).toEqual({ value: expected });
});

test.each<[JsonPatch[number], string]>([
  [{ op: "replace", path: "/ibna", value: "DE2" }, "is not there"],
  [{ op: "remove", path: "/ibna" }, "is not there"],
  [{ op: "add", path: "/address/city", value: "x" }, "has nothing to stand in"],
  [{ op: "add", path: "/iban/x", value: "x" }, "has nothing to stand in"],
  [{ op: "add", path: "/lines/3", value: 1 }, "is no place of a list of 2"],
  [{ op: "add", path: "/lines/01", value: 1 }, "is no place of a list of 2"],
  [{ op: "replace", path: "/lines/2", value: 1 }, "is no place of a list of 2"],
  [{ op: "replace", path: "/lines/-", value: 1 }, "is no place of a list of 2"],
  [{ op: "replace", path: "/toString", value: 1 }, "is not there"],
  [{ op: "test", path: "/iban", value: "DE2" }, "has another value"],
])("a patch that does not fit changes nothing, and says where: %j", (operation, problem) => {
  const first = { op: "add", path: "/note", value: "changed" } as const;
  expect(applyPatch(input, [first, operation])).toEqual({ pointer: operation.path, problem });
});

test("what is all cannot be removed", () => {
  expect(applyPatch(input, [{ op: "remove", path: "" }])).toMatchObject({ pointer: "" });
});

test("a patch sets any field to any value, and changes nothing of what it was given", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (key, value, given) => {
        const before = structuredClone(given);
        const path = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const patched = applyPatch(given as Json, [{ op: "add", path, value: value as Json }]);
        const expected = Object.fromEntries([...Object.entries(before), [key, value]]);
        expect(patched).toEqual({ value: expected });
        expect(given).toEqual(before);
      },
    ),
  );
});

test.each([
  ["iban=DE02", { op: "add", path: "/iban", value: "DE02" }],
  ["iban=", { op: "add", path: "/iban", value: "" }],
  ["n=5", { op: "add", path: "/n", value: "5" }],
  ["n:=5", { op: "add", path: "/n", value: 5 }],
  ["formula=a:=b=c", { op: "add", path: "/formula", value: "a:=b=c" }],
  ["/lines/0/sku:=null", { op: "add", path: "/lines/0/sku", value: null }],
  ["lines/-:={}", { op: "add", path: "/lines/-", value: {} }],
  ["-note", { op: "remove", path: "/note" }],
  ["n:=five", null],
  ["=x", null],
  ["iban", null],
  ["", null],
])("the line %j is the change %j", (line, change) => {
  expect(readChange(line)).toEqual(change);
});
