import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { Order, payments } from "../test/fixtures.ts";
import { checkPlan } from "./check-plan.ts";
import { equals } from "./conditions.ts";
import { defineWorkflow } from "./define-workflow.ts";

const Stay = z.object({ price: Order.shape.price, gift: z.boolean(), leavesAt: z.string() });

describe("step.sleep", () => {
  test("writes a step down that waits for so long, or until a value says so", () => {
    const { definition } = defineWorkflow("stay.v1", Stay, (stay, step) => {
      step.sleep("cool-off", { for: "14d" });
      const stayed = step.sleep("stay", {
        until: stay.leavesAt,
        atMost: "90d",
        after: [],
        onlyIf: equals(stay.gift, true),
        onFailure: "halt",
      });
      step("charge", {
        call: payments.charge({ price: stay.price }),
        after: ["cool-off", stayed],
        completeWithin: "5s",
      });
      return { by: stayed.fired };
    });
    expect(definition.format).toBe(2);
    expect(definition.steps.slice(0, 2)).toEqual([
      {
        kind: "wait",
        name: "cool-off",
        after: [],
        onlyIf: null,
        onFailure: "undo",
        for: 14 * 86_400_000,
      },
      {
        kind: "wait",
        name: "stay",
        after: [],
        onlyIf: { equals: [{ $ref: "/input/gift" }, true] },
        onFailure: "halt",
        until: { $ref: "/input/leavesAt" },
        atMost: 90 * 86_400_000,
      },
    ]);
    expect(definition.steps[2]).toMatchObject({ after: ["cool-off", "stay"] });
    expect(definition.output).toEqual({ by: { $ref: "/steps/stay/fired" } });
  });

  test("follows the step above it, as every step", () => {
    const { definition } = defineWorkflow("stay.v1", Stay, (stay, step) => {
      step("charge", { call: payments.charge({ price: stay.price }), completeWithin: "5s" });
      step.sleep("rest", { for: "1h" });
    });
    expect(definition.steps[1]?.after).toEqual(["charge"]);
  });

  test("leaves a workflow without it in format 1", () => {
    const { definition } = defineWorkflow("sell.v1", Order, (order, step) => {
      step("charge", { call: payments.charge({ price: order.price }), completeWithin: "5s" });
    });
    expect(definition.format).toBe(1);
  });

  test.each<[string, object, RegExp]>([
    ["no end", {}, /rest.*either for or until/],
    ["two ends", { for: "1h", until: "2027-01-01T00:00:00Z" }, /either for or until/],
    ["no duration", { for: "soon" }, /for is soon, which is no duration/],
    ["no instant", { until: "soon" }, /no instant with its zone/],
  ])("is refused with %s", (_, options, message) => {
    const define = () =>
      defineWorkflow("stay.v1", Stay, (_stay, step) => {
        step.sleep("rest", options as { readonly for: "1h" });
      });
    expect(define).toThrow(message);
  });

  test("stands for a value that no plan may decide on", () => {
    const made = defineWorkflow("stay.v1", Stay, (_stay, step) => {
      const rest = step.sleep("rest", { for: "1h" });
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the mistake that is found
      if (rest) step.sleep("more", { for: "1h" });
    });
    expect(() => checkPlan(made)).toThrow(/decided here and now/);
  });
});
