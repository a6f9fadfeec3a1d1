import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { Order, payments } from "../test/fixtures.ts";
import { checkPlan } from "./check-plan.ts";
import { equals } from "./conditions.ts";
import { type AddStep, defineWorkflow } from "./define-workflow.ts";
import type { Ref } from "./ref.ts";

const Paid = z.object({ price: Order.shape.price, paymentId: z.string() });

const paidWith = (write: (step: AddStep) => void) =>
  defineWorkflow("pay.v1", Order, (_order, step) => write(step)).definition;

describe("step.wait", () => {
  test("writes a step down that waits for a signal, and its schema once", () => {
    const { definition } = defineWorkflow("pay.v1", Order, (order, step) => {
      const paid = step.wait("paid", { signal: Paid, within: "3d", onDeadline: "fail" });
      step.wait("paid-again", {
        signal: Paid,
        named: "paid",
        within: "for-ever",
        onDeadline: "continue",
        late: "alert",
        onFailure: "halt",
        after: [],
        onlyIf: equals(order.price.currency, "EUR"),
      });
      step("charge", {
        call: payments.charge({ price: paid.payload.price }),
        after: [paid, "paid-again"],
        completeWithin: "5s",
      });
      return { by: paid.fired, id: paid.payload.paymentId };
    });
    expect(definition.format).toBe(3);
    expect(Object.keys(definition.signals ?? {})).toEqual(["paid"]);
    expect(definition.steps.slice(0, 2)).toEqual([
      {
        kind: "signal",
        name: "paid",
        after: [],
        onlyIf: null,
        signal: "paid",
        within: 3 * 86_400_000,
        onDeadline: "fail",
        onFailure: "undo",
      },
      {
        kind: "signal",
        name: "paid-again",
        after: [],
        onlyIf: { equals: [{ $ref: "/input/price/currency" }, "EUR"] },
        signal: "paid",
        within: null,
        onDeadline: "continue",
        late: "alert",
        onFailure: "halt",
      },
    ]);
    expect(definition.steps[2]).toMatchObject({
      input: { price: { $ref: "/steps/paid/payload/price" } },
    });
    expect(definition.output).toEqual({
      by: { $ref: "/steps/paid/fired" },
      id: { $ref: "/steps/paid/payload/paymentId" },
    });
  });

  test("has a payload where none means a failure, and null where the task goes on", () => {
    defineWorkflow("pay.v1", Order, (_order, step) => {
      const sure = step.wait("a", { signal: Paid, within: "3d", onDeadline: "fail" });
      const maybe = step.wait("b", { signal: Paid, within: "3d", onDeadline: "continue" });
      const id: Ref<string> = sure.payload.paymentId;
      // @ts-expect-error -- there may be none
      const wrong: Ref<string> = maybe.payload.paymentId;
      const fired: Ref<"signal" | "deadline" | "operator"> = maybe.fired;
      return { id, wrong, fired };
    });
  });

  test("is refused where two steps mean different signals by one name", () => {
    const define = () =>
      paidWith((step) => {
        step.wait("a", { signal: Paid, named: "paid", within: "3d", onDeadline: "fail" });
        step.wait("paid", { signal: z.string(), within: "3d", onDeadline: "fail" });
      });
    expect(define).toThrow(/pay\.v1, step "paid": signal "paid" has another schema/);
  });

  test.each<[string, object, RegExp]>([
    ["no limit", { within: undefined }, /step "paid": within is missing/],
    ["no duration", { within: "soon" }, /within is soon, which is no duration/],
    ["no time", { within: "0s" }, /within must be >= 1/],
    ["a signal that no JSON is", { signal: z.date() }, /signal "paid": a Date cannot be JSON/],
    ["a name that cannot be sent", { named: "a:b" }, /signal must match pattern/],
    ["no word of what follows", { onDeadline: "maybe" }, /onDeadline must be equal to one of/],
  ])("is refused with %s", (_, wrong, message) => {
    const options = { signal: Paid, within: "3d", onDeadline: "fail", ...wrong };
    const define = () =>
      paidWith((step) => {
        step.wait("paid", options as { signal: typeof Paid; within: "3d"; onDeadline: "fail" });
      });
    expect(define).toThrow(message);
  });

  test("stands for a value that no plan may decide on", () => {
    const made = defineWorkflow("pay.v1", Order, (_order, step) => {
      const paid = step.wait("paid", { signal: Paid, within: "3d", onDeadline: "continue" });
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the mistake that is found
      if (paid.payload) step.sleep("more", { for: "1h" });
    });
    expect(() => checkPlan(made)).toThrow(/decided here and now/);
  });
});
