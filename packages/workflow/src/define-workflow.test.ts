import { callsOf } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { Order, payments, shipping } from "../test/fixtures.ts";
import { equals, exists, greaterThan, lessThan, not, or } from "./conditions.ts";
import { defineWorkflow, type Plan, type WorkflowName } from "./define-workflow.ts";
import { present } from "./ref.ts";

const orderOf = (workflow: WorkflowName, plan: Plan<unknown>) =>
  defineWorkflow(workflow, Order, plan).definition.steps.map((step) => [step.name, step.after]);

describe("a step of a definition", () => {
  test("has templates for refs, milliseconds for durations, and a default for every missing setting", () => {
    const { definition } = defineWorkflow("sell.v1", Order, (order, step) => {
      const charge = step("charge", {
        call: payments.charge({ price: order.price }),
        completeWithin: "5s",
      });
      return { chargeId: charge.chargeId };
    });

    expect(definition).toEqual({
      format: 1,
      name: "sell.v1",
      inputSchema: expect.objectContaining({ type: "object", required: ["price", "gift"] }),
      completeWithin: null,
      output: { chargeId: { $ref: "/steps/charge/chargeId" } },
      inputs: {
        "payments.charge": expect.objectContaining({
          properties: { note: { type: "string" }, price: expect.any(Object) },
          required: ["price"],
        }),
      },
      outputs: {
        "payments.charge": {
          $schema: expect.any(String),
          type: "object",
          properties: { chargeId: { type: "string" } },
          required: ["chargeId"],
        },
      },
      steps: [
        {
          name: "charge",
          agent: "payments",
          operation: "charge",
          input: { price: { $ref: "/input/price" } },
          after: [],
          onlyIf: null,
          startWithin: 30_000,
          completeWithin: 5_000,
          retry: { failures: 3, backoff: 1_000, max: 60_000 },
          coolDown: null,
          onFailure: "undo",
          undo: {
            operation: "refund",
            startWithin: 30_000,
            completeWithin: 5_000,
            retry: { failures: 5, backoff: 1_000, max: 60_000 },
            coolDown: { wait: 60_000, times: null },
            onFailure: "halt",
          },
        },
      ],
    });
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  });

  test("has its own settings instead of the defaults", () => {
    const { definition } = defineWorkflow(
      "sell.v2",
      Order,
      (order, step) => {
        step("charge", {
          call: payments.charge({ price: order.price }),
          startWithin: "2m",
          maxRequeues: 40,
          completeWithin: "1h",
          retry: { failures: 9, backoff: "5m" },
          coolDown: { wait: "1d", times: 2 },
          onFailure: "halt",
          undo: { completeWithin: "10s", retry: { failures: 1 }, coolDown: null },
        });
      },
      { completeWithin: "7d" },
    );
    expect(definition).toMatchObject({ completeWithin: 604_800_000, output: null });
    expect(definition.steps[0]).toMatchObject({
      startWithin: 120_000,
      maxRequeues: 40,
      completeWithin: 3_600_000,
      retry: { failures: 9, backoff: 300_000, max: 300_000 },
      coolDown: { wait: 86_400_000, times: 2 },
      onFailure: "halt",
      undo: {
        completeWithin: 10_000,
        startWithin: 120_000,
        retry: { failures: 1 },
        coolDown: null,
      },
    });
  });

  test("has exceptions by fault code, and none if none were given", () => {
    const { definition } = defineWorkflow("sell.v3", Order, (order, step) => {
      step("charge", {
        call: payments.charge({ price: order.price }),
        completeWithin: "1s",
        faults: {
          "payments.limit_reached": { coolDown: { wait: "1h", times: 3 }, onFailure: "halt" },
          "payments.*": { retry: { failures: 1 } },
        },
        undo: { faults: { "payments.gone": { coolDown: null } } },
      });
    });
    expect(definition.steps[0]).toMatchObject({
      faults: [
        {
          code: "payments.limit_reached",
          coolDown: { wait: 3_600_000, times: 3 },
          onFailure: "halt",
        },
        { code: "payments.*", retry: { failures: 1, backoff: 1_000, max: 60_000 } },
      ],
      undo: { faults: [{ code: "payments.gone", coolDown: null }] },
    });
    expect(callsOf(definition)[0]?.faults?.[1]).not.toHaveProperty("onFailure");
  });

  test("has nothing to undo when the contract of its Agent names no undo", () => {
    const { definition } = defineWorkflow("look.v1", Order, (order, step) => {
      step("assess", { call: payments.assess({ price: order.price }), completeWithin: "1s" });
    });
    expect(callsOf(definition)[0]?.undo).toBeNull();
  });
});

describe("the order of steps", () => {
  const assess = payments.assess({ price: { amount: 1, currency: "EUR" } });
  const options = { call: assess, completeWithin: "1s" } as const;
  test("follows the source", () => {
    const steps = orderOf("line.v1", (_, step) => {
      step("a", options);
      step("b", options);
      step("c", options);
    });
    expect(steps).toEqual([
      ["a", []],
      ["b", ["a"]],
      ["c", ["b"]],
    ]);
  });

  test("branches and joins as `after` says", () => {
    const steps = orderOf("fork.v1", (_, step) => {
      const a = step("a", options);
      const b = step("b", { ...options, after: [] });
      step("c", { ...options, after: [a, b, "a"] });
    });
    expect(steps).toEqual([
      ["a", []],
      ["b", []],
      ["c", ["a", "b"]],
    ]);
  });
});

describe("a condition", () => {
  test("is stored, and makes the output of its step nullable", () => {
    const { definition } = defineWorkflow("sell.v1", Order, (order, step) => {
      const charge = step("charge", {
        call: payments.charge({ price: order.price }),
        completeWithin: "1s",
        onlyIf: not(equals(order.gift, true)),
      });
      // @ts-expect-error: the step may be skipped, and the Agent wants a string
      shipping.ship({ chargeId: charge.chargeId });
      step("ship", {
        call: shipping.ship({ chargeId: present(charge.chargeId) }),
        completeWithin: "1s",
        onlyIf: exists(charge),
      });
      return charge.chargeId;
    });
    expect(definition.steps.map((step) => step.onlyIf)).toEqual([
      { not: { equals: [{ $ref: "/input/gift" }, true] } },
      { exists: { $ref: "/steps/charge" } },
    ]);
  });

  test("compares numbers, and no texts", () => {
    const { definition } = defineWorkflow("sell.v1", Order, (order, step) => {
      const { amount, currency } = order.price;
      // @ts-expect-error: a text
      greaterThan(currency, 1);
      // @ts-expect-error: a text
      lessThan(amount, "1");
      step("charge", {
        call: payments.charge({ price: order.price }),
        completeWithin: "1s",
        onlyIf: or(greaterThan(amount, 100), lessThan(amount, amount)),
      });
    });
    const amount = { $ref: "/input/price/amount" };
    expect(definition.steps[0]?.onlyIf).toEqual({
      or: [{ greaterThan: [amount, 100] }, { lessThan: [amount, amount] }],
    });
  });
});

describe("defaults of a workflow", () => {
  const policies = (definition: { readonly steps: readonly object[] }) =>
    definition.steps as readonly {
      readonly completeWithin: number;
      readonly retry: object;
      readonly undo: { readonly retry: object; readonly completeWithin: number } | null;
    }[];

  test("stand for what a step does not say, each as a whole", () => {
    const { definition } = defineWorkflow(
      "sell.v1",
      Order,
      ({ price }, step) => {
        step("charge", { call: payments.charge({ price }) });
        step("assess", {
          call: payments.assess({ price }),
          completeWithin: "1s",
          retry: { failures: 2 },
        });
      },
      {
        defaults: {
          completeWithin: "10s",
          retry: { failures: 7, backoff: "2s" },
          undo: { retry: { failures: 9 } },
        },
      },
    );
    const [charge, assess] = policies(definition);
    expect(charge).toMatchObject({
      completeWithin: 10_000,
      retry: { failures: 7, backoff: 2_000 },
      undo: { completeWithin: 10_000, retry: { failures: 9 } },
    });
    // It has no undo, and its retries say nothing of a delay.
    expect(assess).toMatchObject({
      completeWithin: 1_000,
      retry: { failures: 2, backoff: 1_000 },
      undo: null,
    });
  });

  test("without a limit leave it to each step, by the types and at run time", () => {
    const plan = () =>
      defineWorkflow(
        "sell.v1",
        Order,
        ({ price }, step) => {
          // @ts-expect-error: completeWithin stands nowhere
          step("charge", { call: payments.charge({ price }) });
        },
        { defaults: { startWithin: "1m" } },
      );
    expect(plan).toThrow(
      /^sell\.v1, step "charge": completeWithin is missing: say how long one attempt may take, here or in the defaults of the workflow$/,
    );
  });

  test("stand beside options that are functions", () => {
    const { definition } = defineWorkflow(
      "sell.v1",
      Order,
      ({ price }, step) => {
        step("charge", { call: payments.charge({ price }) });
      },
      {
        fairness: ({ price }) => ({ key: price.currency }),
        defaults: { completeWithin: "10s" },
      },
    );
    expect(policies(definition)[0]?.completeWithin).toBe(10_000);
    expect(definition.fairness).toEqual({ key: "/input/price/currency" });
  });

  test("hold for a step that says undefined, as projects without exact optional types may", () => {
    const { definition } = defineWorkflow(
      "sell.v1",
      Order,
      ({ price }, step) => {
        const none = { completeWithin: undefined } as object;
        step("charge", { call: payments.charge({ price }), ...none });
      },
      { defaults: { completeWithin: "10s" } },
    );
    expect(policies(definition)[0]?.completeWithin).toBe(10_000);
  });
});
