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
