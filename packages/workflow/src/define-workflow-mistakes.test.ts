import { describe, expect, test } from "@jest/globals";
import type { z } from "zod";
import { Order, payments } from "../test/fixtures.ts";
import { defineWorkflow, type Plan } from "./define-workflow.ts";

const invalid = (message: string) => expect.objectContaining({ code: "workflow.invalid", message });
const define = (plan: Plan<z.input<typeof Order>>) => () => defineWorkflow("sell.v1", Order, plan);

const defineWithoutVersion = () =>
  // @ts-expect-error: no version
  defineWorkflow("sell", Order, (_, step) => {
    step("a", {
      call: payments.assess({ price: { amount: 1, currency: "EUR" } }),
      completeWithin: "1s",
    });
  });

describe("a mistake", () => {
  const price = { amount: 1, currency: "EUR" };

  test("in a duration is named with its place", () => {
    const plan = define((_, step) =>
      // @ts-expect-error: no unit
      step("a", { call: payments.assess({ price }), completeWithin: "5 sec" }),
    );
    expect(plan).toThrow(
      invalid(
        'sell.v1, step "a": completeWithin is 5 sec, which is no duration: write a number and ms, s, m, h or d, such as 30s',
      ),
    );
  });

  test("such as a missing limit is refused by the types and at run time", () => {
    const plan = define((_, step) =>
      // @ts-expect-error: completeWithin is required
      step("a", { call: payments.assess({ price }) }),
    );
    expect(plan).toThrow(/step "a": completeWithin is missing/);
  });

  test("with a value that is not known yet is named with the step above it", () => {
    const plan = define((order, step) => {
      step("a", { call: payments.assess({ price }), completeWithin: "1s" });
      return `order ${order as unknown as string}`;
    });
    const message = expect.stringMatching(/^sell\.v1, after step "a": \/input is not known yet: /);
    expect(plan).toThrow(expect.objectContaining({ code: "workflow.ref_used_as_value", message }));
  });

  test.each<[string, Plan<z.input<typeof Order>>]>([
    ["that waits for nothing", async (order) => order],
    [
      "that waits for a step",
      async (_, step) => {
        const ref = step("a", { call: payments.assess({ price }), completeWithin: "1s" });
        await (ref as unknown as Promise<void>);
      },
    ],
  ])("such as an async function %s is named as such", (_, plan) => {
    expect(define(plan)).toThrow(/^sell\.v1: its function is async.*Write it without async/);
  });

  test("in the undo settings of an operation without an undo is named", () => {
    const plan = define((_, step) =>
      step("a", { call: payments.assess({ price }), completeWithin: "1s", undo: {} }),
    );
    expect(plan).toThrow(
      invalid(
        'sell.v1, step "a": undo is set, but payments.assess has no undo: name one in defineAgent, or remove undo here',
      ),
    );
  });

  test("in the input of a step is named with its place", () => {
    const plan = define((_, step) =>
      step("a", {
        // @ts-expect-error: a Date is not an integer
        call: payments.assess({ price: { amount: new Date(0), currency: "EUR" } }),
        completeWithin: "1s",
      }),
    );
    expect(plan).toThrow(invalid('sell.v1, step "a": at /price/amount: a Date is not JSON'));
  });

  test("in the name of the workflow is refused by the types and at run time", () => {
    expect(defineWithoutVersion).toThrow(/^sell: name must match/);
  });

  test("in an undo that a workflow calls itself is refused by the types", () => {
    // @ts-expect-error: the undo is Holdfast's to call
    expect(payments.refund).toBeUndefined();
  });
});
