import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import { equals, exists, greaterThan, not } from "./conditions.ts";
import { concat, fallback } from "./expressions.ts";
import { type Ref, type ResultOf, refTo, type Template } from "./ref.ts";
import { toTemplate } from "./to-template.ts";

interface Order {
  readonly id: string;
  readonly total: number;
  readonly note?: string;
  readonly tip: number | null;
  readonly paid?: boolean;
  readonly tags: readonly string[];
  readonly address: { readonly city: string };
  readonly billing?: { readonly city: string };
}
const order = refTo<Order>("/input");
const note = { $ref: "/input/note" };

test("a text is written down with its parts, and may be missing where one of them may be", () => {
  const there: Template<string> = concat("Order ", order.id, ": ", order.total, "/", 2);
  expect(toTemplate({ there })).toEqual({
    there: { $concat: ["Order ", { $ref: "/input/id" }, ": ", { $ref: "/input/total" }, "/", 2] },
  });
  const perhaps = concat("x", order.note);
  const taken: Template<string | undefined> = perhaps;
  // @ts-expect-error: without the note there is no text
  const refused: Template<string> = perhaps;
  // @ts-expect-error: nor without the tip, which may be null
  const alsoRefused: Template<string> = concat(order.tip);
  expect([taken, refused, alsoRefused]).toHaveLength(3);
  // @ts-expect-error: a list is no part of a text
  expect(toTemplate(concat(order.tags))).toEqual({ $concat: [{ $ref: "/input/tags" }] });
});

test("a fallback is written down with both, and is there where the other one is", () => {
  const text: Template<string> = fallback(order.note, "none");
  expect(toTemplate(text)).toEqual({ $fallback: [note, "none"] });
  const number: Template<number> = fallback(order.tip, order.total);
  expect(toTemplate(number)).toEqual({
    $fallback: [{ $ref: "/input/tip" }, { $ref: "/input/total" }],
  });
  const whole: Template<{ readonly city: string }> = fallback(order.billing, order.address);
  const written: Template<{ readonly city: string }> = fallback(order.billing, {
    city: order.id,
  });
  expect([whole, written].map((one) => toTemplate(one))).toEqual([
    { $fallback: [{ $ref: "/input/billing" }, { $ref: "/input/address" }] },
    { $fallback: [{ $ref: "/input/billing" }, { city: { $ref: "/input/id" } }] },
  ]);
  // @ts-expect-error: the note is a text
  expect(() => fallback(order.note, 1)).not.toThrow();
  // @ts-expect-error: the other one may be missing, too
  const perhaps: Template<string> = fallback(order.note, refTo<string | undefined>("/input/x"));
  expect(perhaps).toBeDefined();
});

test("both can be parts of each other, of conditions and of results", () => {
  const name = concat("Dear ", fallback(order.note, "guest"));
  expect(toTemplate(name)).toEqual({ $concat: ["Dear ", { $fallback: [note, "guest"] }] });
  expect(greaterThan(fallback(order.tip, 0), 5)).toEqual({
    greaterThan: [{ $fallback: [{ $ref: "/input/tip" }, 0] }, 5],
  });
  expect(equals(fallback(order.note, "none"), "none")).toEqual({
    equals: [{ $fallback: [note, "none"] }, "none"],
  });
  const paid = { $fallback: [{ $ref: "/input/paid" }, true] };
  expect(not(fallback(order.paid, true))).toEqual({ not: { equals: [paid, true] } });
  expect(exists(concat(order.note))).toEqual({ exists: { $concat: [note] } });
  const result: ResultOf<{ readonly name: Ref<string> }> = { name: "Dear guest" };
  expect(result).toEqual({ name: "Dear guest" });
});

test("what is made of refs prints what it is, and is no value yet", () => {
  const text = concat("x", order.id);
  expect(inspect(text)).toBe('Ref({"$concat":["x",{"$ref":"/input/id"}]})');
  expect(() => `to ${text as unknown as string}`).toThrow("is not known yet");
  const address = fallback(order.billing, order.address) as unknown as Order["address"];
  expect(() => address.city).toThrow("is not known yet");
});

test.each<[string, () => unknown, RegExp]>([
  ["a text of nothing", () => concat(), /^concat\(\): give it texts.*at least one$/],
  [
    "a text of an object",
    () => concat("x", {} as never),
    /^concat\(string, object\): give it texts/,
  ],
  ["a text of what is no number", () => concat(Number.NaN), /NaN is not JSON/],
  [
    "a fallback of a value",
    () => fallback("x" as never, "y"),
    /^fallback\(string, …\): give it a value that is a ref/,
  ],
  ["a fallback on what is no JSON", () => fallback(order.note, (() => 1) as never), /is not JSON/],
])("%s is refused", (_, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ code: "workflow.invalid", message: expect.stringMatching(message) }),
  );
});
