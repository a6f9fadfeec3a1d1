import { unboundedParts } from "@holdfast/contracts";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { Order, SubmittedOrder } from "./order.ts";
import { sampleOrder } from "./sample-order.ts";

const good = sampleOrder({ kind: "good" });
const line = { sku: "lamp-1", quantity: 2, unitPrice: 250 };
const problemsOf = (order: unknown) =>
  Order.safeParse(order).error?.issues.map(
    (issue) => `${issue.path.join("/")}: ${issue.message}`,
  ) ?? [];

test("an order whose total is not what its lines add up to says both sums", () => {
  expect(problemsOf({ ...good, lines: [line], total: 499 })).toEqual([
    "total: total is 499, but the lines add up to 500",
  ]);
});

test.each<[string, object, string]>([
  ["nothing", { quantity: 0 }, "quantity"],
  ["more than a thousand", { quantity: 1_001 }, "quantity"],
  ["half a thing", { quantity: 1.5 }, "quantity"],
  ["a negative price", { unitPrice: -1 }, "unitPrice"],
  ["no article", { sku: " " }, "sku"],
])("a line of %s is refused", (_, change, field) => {
  const [problem] = problemsOf({ ...good, lines: [{ ...line, ...change }] });
  expect(problem).toMatch(new RegExp(`^lines/0/${field}: `));
});

test.each<[string, object, string]>([
  ["no lines", { lines: [], total: 0 }, "lines"],
  ["too many lines", { lines: Array.from({ length: 101 }, () => line), total: 101 * 500 }, "lines"],
  ["a currency by its sign", { currency: "€" }, "currency"],
  ["a country by its name", { shipTo: { ...good.shipTo, country: "Germany" } }, "shipTo/country"],
  ["no mail address", { customer: { ...good.customer, email: "ada" } }, "customer/email"],
])("an order with %s is refused", (_, change, place) => {
  expect(problemsOf({ ...good, ...change })).toEqual([expect.stringMatching(`^${place}: `)]);
});

test("the largest order of all has an exact total", () => {
  const largest = { sku: "x", quantity: 1_000, unitPrice: 100_000_000 };
  expect(
    problemsOf({
      ...good,
      lines: Array.from({ length: 100 }, () => largest),
      total: 10_000_000_000_000,
    }),
  ).toEqual([]);
});

test("a text is stored exactly as it was sent", () => {
  const order = { ...good, paymentMethod: " card-valid " };
  expect(Order.parse(order)).toEqual(order);
});

describe("an order that is submitted", () => {
  test("is accepted without additional fields, and stays the same order", () => {
    expect(SubmittedOrder.parse(good)).toEqual(Order.parse(good));
  });

  test.each<[string, object, string]>([
    ["the order", { ...good, note: "ring twice" }, ": note"],
    ["the customer", { ...good, customer: { ...good.customer, vip: true } }, "customer: vip"],
    ["the address", { ...good, shipTo: { ...good.shipTo, floor: 3 } }, "shipTo: floor"],
    ["a line", { ...good, lines: [{ ...good.lines[0], gift: true }] }, "lines/0: gift"],
    ["the prototype", JSON.parse(`{"__proto__":1,${JSON.stringify(good).slice(1)}`), ": __proto__"],
  ])("names a field that %s does not have", (_, order, where) => {
    const unknown = SubmittedOrder.safeParse(order).error?.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => `${issue.path.join("/")}: ${key}`)
        : [],
    );
    expect(unknown).toEqual([where]);
  });
});

test("every part of an order that is submitted has a bound", () => {
  const schema = z.toJSONSchema(SubmittedOrder);
  expect(unboundedParts(schema, { largest: Number.MAX_SAFE_INTEGER })).toEqual([
    // Their patterns have a fixed length.
    "/shipTo/country: a text without maxLength",
    "/currency: a text without maxLength",
  ]);
});
