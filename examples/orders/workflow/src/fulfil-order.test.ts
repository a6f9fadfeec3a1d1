import { expect, test } from "@jest/globals";
import { fulfilOrder } from "./fulfil-order.ts";

const { inputSchema } = fulfilOrder.definition;
const steps = fulfilOrder.definition.steps.filter((step) => "agent" in step);

test("fulfil-order checks stock and risk in parallel, and runs the other steps one after the other", () => {
  expect(steps.map(({ name, after }) => [name, ...after])).toEqual([
    ["reserve"],
    ["assess-risk"],
    ["charge", "reserve", "assess-risk"],
    ["ship", "charge"],
    ["confirm", "ship"],
  ]);
});

test("every step that changes something at a partner can be undone, except the last", () => {
  expect(steps.map(({ name, undo }) => [name, undo?.operation ?? null])).toEqual([
    ["reserve", "release"],
    ["assess-risk", null],
    ["charge", "refund"],
    ["ship", "cancel"],
    ["confirm", null],
  ]);
});

test("a refund is retried until it succeeds", () => {
  const charge = steps.find(({ name }) => name === "charge");
  expect(charge?.undo).toMatchObject({ coolDown: { times: null }, onFailure: "halt" });
});

test("the input's JSON Schema describes an order to other programs", () => {
  expect(inputSchema).toMatchObject({
    type: "object",
    required: ["customer", "shipTo", "lines", "currency", "paymentMethod", "total"],
    properties: { lines: { minItems: 1, maxItems: 100 } },
  });
});
