import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Json } from "./json.ts";
import {
  lookupIn,
  lookupInEnded,
  missingAt,
  refPlaces,
  refsOf,
  resolveTemplate,
  stepOfRef,
} from "./template.ts";

const lookup = lookupIn({
  input: { customer: { name: "Ada" }, lines: [{ sku: "a" }, { sku: "b" }], note: null, "a/b~c": 1 },
  outputs: new Map<string, Json>([
    ["charge", { chargeId: "c-1" }],
    ["gift-wrap", null],
  ]),
});
const at = (pointer: string) => resolveTemplate({ $ref: pointer }, lookup);

describe("a ref", () => {
  test.each([
    ["/input/customer", { name: "Ada" }],
    ["/input/customer/name", "Ada"],
    ["/input/lines/1/sku", "b"],
    ["/input/a~1b~0c", 1],
    ["/steps/charge", { chargeId: "c-1" }],
    ["/steps/charge/chargeId", "c-1"],
  ])("to %s is replaced by what is there", (pointer, expected) => {
    expect(at(pointer)).toEqual(expected);
  });

  test.each(["/steps/gift-wrap", "/steps/gift-wrap/parcel/id", "/input/note/text"])(
    "to a null, or below it, is null: %s",
    (pointer) => expect(at(pointer)).toBeNull(),
  );

  test.each([
    "/input/coupon",
    "/input/coupon/percent",
    "/input/lines/2",
    "/input/lines/length",
    "/input/lines/01",
    "/input/customer/name/first",
    "/input/toString",
    "/steps/charge/refundId",
  ])("to %s, which is missing, is left out of an object, and null elsewhere", (pointer) => {
    expect(at(pointer)).toBeNull();
    const ref = { $ref: pointer };
    const template = { is: "there", not: ref, list: [ref, 1], below: { not: ref } };
    expect(resolveTemplate(template, lookup)).toEqual({ is: "there", list: [null, 1], below: {} });
  });

  test.each(["/steps/ship", "/steps/ship/id"])(
    "to %s, where the step has no output at all, is one that cannot be resolved",
    (pointer) => {
      const values = { input: null, outputs: new Map<string, Json>([["charge", null]]) };
      expect(() => resolveTemplate({ a: { $ref: pointer } }, lookupInEnded(values))).toThrow(
        expect.objectContaining({
          code: "step.input_unresolvable",
          transient: false,
          details: { pointer },
        }),
      );
      expect(resolveTemplate([{ $ref: "/steps/charge/id" }], lookupInEnded(values))).toEqual([
        null,
      ]);
    },
  );
});

describe("a template", () => {
  test("may have refs anywhere", () => {
    const template = { who: { $ref: "/input/customer/name" }, ids: [1, { $ref: "/steps/charge" }] };
    expect(resolveTemplate(template, lookup)).toEqual({
      who: "Ada",
      ids: [1, { chargeId: "c-1" }],
    });
    expect(refsOf(template)).toEqual(["/input/customer/name", "/steps/charge"]);
  });

  test("leaves a literal untouched, refs and all", () => {
    const literal = { $ref: "/input", deep: [{ $where: 1 }] };
    expect(resolveTemplate({ $literal: literal }, lookup)).toEqual(literal);
    expect(refsOf({ $literal: literal })).toEqual([]);
  });

  test.each<[string, Json, Json]>([
    ["texts and numbers", ["INV-", { $ref: "/input/a~1b~0c" }, "/", 2, true], "INV-1/2true"],
    ["one value", [{ $ref: "/input/customer/name" }], "Ada"],
    ["what is neither", ["a ", { $ref: "/input/customer" }], 'a {"name":"Ada"}'],
    ["nothing", [], ""],
    ["a value that is null", ["x", { $ref: "/input/note" }], null],
    ["a value that is missing", [{ $ref: "/input/coupon" }, "x"], null],
    [
      "a value that stands for a missing one",
      [{ $fallback: [{ $ref: "/input/coupon" }, "c"] }, "x"],
      "cx",
    ],
  ])("makes one text of %s", (_, $concat, expected) => {
    expect(resolveTemplate({ $concat }, lookup)).toEqual(expected);
    const isThere = expected !== null;
    expect(resolveTemplate({ a: { $concat } }, lookup)).toEqual(isThere ? { a: expected } : {});
  });

  test.each<[string, string, Json, Json]>([
    ["a value that is there", "/input/customer/name", "Eve", "Ada"],
    ["one that is missing", "/input/coupon", "none", "none"],
    ["one that is null", "/input/note", { a: 1 }, { a: 1 }],
    [
      "the output of a skipped step",
      "/steps/gift-wrap/id",
      { $ref: "/steps/charge/chargeId" },
      "c-1",
    ],
    ["one that is missing, by another that is", "/input/coupon", { $ref: "/input/none" }, null],
    [
      "one that is missing, by what has a hole",
      "/input/coupon",
      { a: { $ref: "/input/none" }, b: 1 },
      { b: 1 },
    ],
  ])("replaces only what is not there: %s", (_, $ref, other, expected) => {
    expect(resolveTemplate({ $fallback: [{ $ref }, other] }, lookup)).toEqual(expected);
  });

  test("has the refs of its texts and of what it falls back on", () => {
    const [name, note] = [{ $ref: "/input/customer/name" }, { $ref: "/input/note" }];
    const template = { a: { $concat: ["x", name] }, b: { $fallback: [note, { c: name }] } };
    expect(refPlaces(template)).toEqual([
      { place: "/a", pointer: "/input/customer/name" },
      { place: "/b", pointer: "/input/note" },
      { place: "/b/c", pointer: "/input/customer/name" },
    ]);
  });

  test.each<[string, Json, string, string | null]>([
    ["a part of a text", { a: { $concat: ["x", { $ref: "/input/note" }] } }, "/a", "/input/note"],
    ["no part of a text", { a: { $concat: ["x", { $ref: "/input/a~1b~0c" }] } }, "/a", null],
    [
      "what stands for another",
      { $fallback: [{ $ref: "/input/note" }, { a: { $ref: "/input/no" } }] },
      "/a",
      "/input/no",
    ],
    [
      "a field of what is there",
      { $fallback: [{ $ref: "/input/customer" }, 1] },
      "/city",
      "/input/customer/city",
    ],
    [
      "nothing, where the other one is there",
      { $fallback: [{ $ref: "/input/note" }, "x"] },
      "",
      null,
    ],
  ])("says which value is missing: %s", (_, template, place, pointer) => {
    expect(missingAt(template, place, lookup)).toBe(pointer);
  });

  test("does not guess what an unknown $ key means", () => {
    expect(() => resolveTemplate({ $merge: [] }, lookup)).toThrow(/\$merge/);
  });

  test("says where its refs stand", () => {
    const name = { $ref: "/input/customer/name" };
    expect(refPlaces({ "a/b~c": [1, name], d: name, e: { $literal: name } })).toEqual([
      { place: "/a~1b~0c/1", pointer: "/input/customer/name" },
      { place: "/d", pointer: "/input/customer/name" },
    ]);
  });

  test.each([
    ["/coupon", "/input/coupon"],
    ["/customer/phone", "/input/customer/phone"],
    ["/list/0", "/input/note"],
    ["/list", "/input/note"],
    ["", "/input/coupon"],
    ["/customer/name", null],
    ["/other", null],
  ])("says which value is missing where a place is wrong: %j", (place, pointer) => {
    const [coupon, customer, note] = ["coupon", "customer", "note"].map((name) => ({
      $ref: `/input/${name}`,
    }));
    const template = { coupon: coupon!, customer: customer!, list: [note!] };
    expect(missingAt(template, place, lookup)).toBe(pointer);
  });

  test("names each pointer once", () => {
    expect(refsOf([{ $ref: "/input" }, { $ref: "/input" }])).toEqual(["/input"]);
  });

  test("without any $ key resolves to itself", () => {
    const noDollar = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"$'));
    fc.assert(
      fc.property(noDollar, (value) => {
        expect(resolveTemplate(value as Json, lookup)).toEqual(value);
      }),
    );
  });

  test("copies the JSON at a pointer exactly", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (key, value) => {
        const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
        const input = Object.fromEntries([[key, value as Json]]);
        const found = resolveTemplate(
          { $ref: `/input/${escaped}` },
          lookupIn({ input, outputs: new Map() }),
        );
        expect(found).toEqual(value);
      }),
    );
  });
});

test("a pointer names the step that it refers to", () => {
  expect(stepOfRef("/steps/charge/chargeId")).toBe("charge");
  expect(stepOfRef("/input/steps")).toBeNull();
});
