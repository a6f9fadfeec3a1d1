import { checkTemplate } from "@holdfast/contracts";
import { type Json, resolveTemplate } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { refTo } from "./ref.ts";
import { toTemplate } from "./to-template.ts";

const nowhere = () => undefined;
const keys = fc.oneof(fc.string(), fc.constantFrom("$ref", "$literal", "$", "__proto__", "toJSON"));
const { tree: json } = fc.letrec<{ tree: Json }>((again) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -1.5, "", "$ref"),
    fc.array(again("tree"), { maxLength: 4 }),
    fc.dictionary(keys, again("tree"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test("the template of plain data resolves to that data, whatever its keys", () => {
  fc.assert(
    fc.property(json, (data) => {
      const template = toTemplate(data);
      expect(checkTemplate(template)).toEqual([]);
      expect(JSON.stringify(resolveTemplate(template, nowhere))).toBe(JSON.stringify(data));
    }),
  );
});

test("refs become $ref entries wherever they are", () => {
  expect(toTemplate({ a: [refTo("/input/a"), { b: refTo("/steps/x") }] })).toEqual({
    a: [{ $ref: "/input/a" }, { b: { $ref: "/steps/x" } }],
  });
});

test("only the part of a template that needs escaping is escaped", () => {
  expect(toTemplate({ filter: { $where: { $ref: 1 } }, id: refTo("/input/id") })).toEqual({
    filter: { $literal: { $where: { $ref: 1 } } },
    id: { $ref: "/input/id" },
  });
});

test("undefined properties are omitted from a template", () => {
  expect(toTemplate({ a: undefined, b: 1 })).toEqual({ b: 1 });
});

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

test.each([
  ["a Date", { at: new Date(0) }, "at /at: a Date is not JSON"],
  ["a Map", new Map(), "a Map is not JSON"],
  ["NaN", [Number.NaN], "at /0: NaN is not JSON"],
  ["a big integer", 1n, "1 is not JSON"],
  ["undefined in a list", [undefined], "at /0: undefined is not JSON"],
  [
    "a ref below $",
    { $set: [refTo("/input")] },
    "at /$set/0: a ref cannot stand below a key that begins with $",
  ],
  ["what is too deep", deep(40), /nothing may be deeper than 32 levels/],
])("%s is refused with its place", (_, value, message) => {
  expect(() => toTemplate(value)).toThrow(message);
});
