import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { payments } from "../test/fixtures.ts";
import type { Approver } from "./approval.ts";
import { checkPlan } from "./check-plan.ts";
import { equals } from "./conditions.ts";
import { type AddStep, defineWorkflow } from "./define-workflow.ts";
import { concat } from "./expressions.ts";
import type { Ref } from "./ref.ts";

const Order = z.object({
  price: z.object({ amount: z.int(), currency: z.string() }),
  requester: z.string(),
  deputy: z.string().optional(),
});
const Release = z.object({ account: z.string(), note: z.string().optional() });

const releasedWith = (write: (step: AddStep) => void) =>
  defineWorkflow("pay.v1", Order, (_order, step) => write(step)).definition;

describe("step.approve", () => {
  test("writes a step down that people decide, and the schema of its form", () => {
    const { definition } = defineWorkflow("pay.v1", Order, (order, step) => {
      const release = step.approve("release", {
        audience: "treasury",
        quorum: 2,
        not: ["submitter", order.requester, concat("application:", order.requester)],
        form: Release,
        within: "2d",
        remindAfter: "4h",
        onDeadline: "reject",
        show: { amount: order.price.amount, why: "above the limit" },
      });
      step("charge", {
        call: payments.charge({ price: order.price, note: release.form.account }),
        completeWithin: "5s",
      });
      return { by: release.by, at: release.at, decision: release.decision };
    });
    expect(definition.format).toBe(4);
    expect(definition.forms).toEqual({ release: expect.objectContaining({ type: "object" }) });
    expect(definition.steps[0]).toEqual({
      kind: "approval",
      name: "release",
      after: [],
      onlyIf: null,
      audience: "treasury",
      quorum: 2,
      excludesSubmitter: true,
      excludes: [
        { $ref: "/input/requester" },
        { $concat: ["application:", { $ref: "/input/requester" }] },
      ],
      within: 2 * 86_400_000,
      remindAfter: 4 * 3_600_000,
      onDeadline: "reject",
      show: { amount: { $ref: "/input/price/amount" }, why: "above the limit" },
      onFailure: "undo",
    });
    expect(definition.steps[1]).toMatchObject({
      input: { note: { $ref: "/steps/release/form/account" } },
    });
    expect(definition.output).toEqual({
      by: { $ref: "/steps/release/by" },
      at: { $ref: "/steps/release/at" },
      decision: { $ref: "/steps/release/decision" },
    });
  });

  test("has one of them decide for ever, without a form, unless it says otherwise", () => {
    const { definition } = defineWorkflow("pay.v1", Order, (order, step) => {
      step.approve("one", {
        audience: "treasury",
        not: order.requester,
        within: "for-ever",
        onDeadline: "fail",
        onFailure: "halt",
        onlyIf: equals(order.price.currency, "EUR"),
      });
      step.approve("other", {
        audience: "treasury",
        not: "submitter",
        within: "1d",
        onDeadline: "fail",
        after: [],
      });
    });
    expect(definition).not.toHaveProperty("forms");
    expect(definition.steps).toMatchObject([
      {
        quorum: 1,
        excludesSubmitter: false,
        excludes: [{ $ref: "/input/requester" }],
        within: null,
        remindAfter: null,
        show: {},
        onFailure: "halt",
        onlyIf: { equals: [{ $ref: "/input/price/currency" }, "EUR"] },
      },
      { excludesSubmitter: true, excludes: [], after: [] },
    ]);
  });

  test("stands for a form where one rejects at the deadline, and for none or one where it approves", () => {
    defineWorkflow("pay.v1", Order, (_order, step) => {
      const terms = { audience: "treasury", within: "2d" } as const;
      const sure = step.approve("a", { ...terms, form: Release, onDeadline: "reject" });
      const failing = step.approve("b", { ...terms, form: Release, onDeadline: "fail" });
      const maybe = step.approve("c", { ...terms, form: Release, onDeadline: "approve" });
      const none = step.approve("d", { ...terms, onDeadline: "reject" });
      const accounts: readonly Ref<string>[] = [sure.form.account, failing.form.account];
      // @ts-expect-error -- their time may be over before one fills it in
      const wrong: Ref<string> = maybe.form.account;
      const nothing: Ref<null> = none.form;
      const by: Ref<readonly Approver[]> = none.by;
      const fired: Ref<"approval" | "deadline"> = none.fired;
      return { accounts, wrong, nothing, by, fired };
    });
  });

  test("takes no value that may be missing for one of those who may not decide", () => {
    const define = () =>
      defineWorkflow("pay.v1", Order, (order, step) => {
        step.approve("release", {
          audience: "treasury",
          // @ts-expect-error -- the input need not name one
          not: order.deputy,
          within: "2d",
          onDeadline: "reject",
        });
      });
    // What is stored is what refuses it, for who writes JavaScript.
    expect(define).not.toThrow();
  });

  test.each<[string, object, RegExp]>([
    ["no limit", { within: undefined }, /step "release": within is missing/],
    ["no duration", { within: "soon" }, /within is soon, which is no duration/],
    ["no time", { within: "0s" }, /within must be >= 1/],
    ["a quorum of none", { quorum: 0 }, /quorum must be >= 1/],
    ["a quorum of a crowd", { quorum: 21 }, /quorum must be <= 20/],
    ["an audience that none can be", { audience: "The Board" }, /audience must match pattern/],
    ["no audience", { audience: undefined }, /must have required property 'audience'/],
    ["an id that is written down", { not: "ada" }, /not contains "ada": give it "submitter", or/],
    ["an id among others", { not: ["submitter", "ada"] }, /not contains "ada"/],
    ["a form that no JSON is", { form: z.date() }, /step "release": form: a Date cannot be JSON/],
    ["no word of what follows", { onDeadline: "maybe" }, /onDeadline must be equal to one of/],
    ["reminders without an end", { remindAfter: "2d" }, /remindAfter: is 2 d, and they have 2 d/],
    ["reminders that no duration is", { remindAfter: "often" }, /remindAfter is often, which/],
  ])("is refused with %s", (_, wrong, message) => {
    const options = { audience: "treasury", within: "2d", onDeadline: "reject", ...wrong };
    const define = () =>
      releasedWith((step) => {
        step.approve(
          "release",
          options as { audience: string; within: "2d"; onDeadline: "reject" },
        );
      });
    expect(define).toThrow(message);
  });

  test("is refused where the task may not take as long", () => {
    const define = () =>
      defineWorkflow(
        "pay.v1",
        Order,
        (_order, step) => {
          step.approve("release", { audience: "treasury", within: "2d", onDeadline: "reject" });
        },
        { completeWithin: "1d" },
      );
    expect(define).toThrow(/step "release": within: is 2 d, longer than the 24 h that a task may/);
  });

  test("stands for a value that no plan may decide on", () => {
    const made = defineWorkflow("pay.v1", Order, (_order, step) => {
      const release = step.approve("release", {
        audience: "treasury",
        within: "2d",
        onDeadline: "approve",
      });
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the mistake that is found
      if (release.form) step.sleep("more", { for: "1h" });
    });
    expect(() => checkPlan(made)).toThrow(/decided here and now/);
  });
});
