import { contract, contractOf } from "@holdfast/workflow";
import { describe, expect, jest, test } from "@jest/globals";
import { attempt, type PaymentsHandlers } from "../../test/attempts.ts";
import { payments, unasked } from "../../test/fixtures.ts";
import type { EffectOf, StepContext } from "../contract/handlers.ts";
import { bindOperations } from "../contract/operations.ts";

type Refund = EffectOf<(typeof payments)[typeof contract]["operations"]["charge"]>;

test("an attempt replies with the output of its handler", async () => {
  const charge = jest.fn<PaymentsHandlers["charge"]>(async () => ({ chargeId: "c-1" }));
  const outcome = await attempt({ handlers: { charge } });
  expect(outcome).toEqual({ kind: "completed", output: { chargeId: "c-1" } });
  const [input, step] = charge.mock.lastCall ?? [];
  expect(input).toEqual({ amount: 5 });
  expect(step).toMatchObject({ step: "charge", attempt: 1, idempotencyKey: "task:charge:do" });
});

describe("the contract", () => {
  const refused = { kind: "failed", transient: false, attempted: false, effect: "none" };
  test.each([
    ["input that breaks it", { input: { amount: "5" } }, "step.contract_broken"],
    ["an operation that is not in it", { operation: "toString" }, "agent.unknown_operation"],
    ["an undo of nothing", { operation: "refund" }, "step.contract_broken"],
  ])("refuses %s before anything is called", async (_, asked, code) => {
    const outcome = await attempt({ handlers: {}, asked });
    expect(outcome).toMatchObject({ ...refused, code });
  });

  test("is named by its hash where the input breaks it, and nowhere else", async () => {
    const own = contractOf(payments[contract].operations.charge);
    const outcome = await attempt({ handlers: {}, asked: { input: { amount: "5" } } });
    expect(outcome).toMatchObject({ code: "step.contract_broken", contract: own });
    const ofOutput = await attempt({
      handlers: { charge: () => Promise.resolve({ chargeId: 7 } as never) },
    });
    expect(ofOutput).toMatchObject({ code: "step.contract_broken", attempted: true });
    expect(ofOutput).not.toHaveProperty("contract");
  });

  test("refuses a request that instances with it are not to perform, and no other", async () => {
    const own = contractOf(payments[contract].operations.charge) ?? "";
    const charge = jest.fn<PaymentsHandlers["charge"]>(async () => ({ chargeId: "c-1" }));
    const unfit = await attempt({ handlers: { charge }, asked: { unfit: ["0".repeat(12), own] } });
    expect(unfit).toMatchObject({ ...refused, code: "step.contract_broken", contract: own });
    expect(charge).not.toHaveBeenCalled();
    const fit = await attempt({ handlers: { charge }, asked: { unfit: ["0".repeat(12)] } });
    expect(fit).toMatchObject({ kind: "completed" });
  });

  test.each([
    ["breaks it", "charge", { chargeId: 7 }, "step.contract_broken"],
    ["cannot be stored", "assess", "half of \ud83d", "step.output_unstorable"],
  ])(
    "fails for good when the output %s: the work may be done",
    async (_, operation, output, code) => {
      const outcome = await attempt({
        handlers: { [operation]: () => Promise.resolve(output) },
        asked: { operation },
      });
      expect(outcome).toMatchObject({
        code,
        transient: false,
        attempted: true,
        effect: "unknown",
      });
    },
  );
});

describe("an undo", () => {
  const undone = { step: "charge", key: "task:charge:do", input: { amount: 5 } };
  test.each([
    ["what came out", { outcome: "completed", output: { chargeId: "c-1" } }, { chargeId: "c-1" }],
    ["that its outcome is unknown", { outcome: "unknown", output: null }, undefined],
  ] as const)("receives the input of its step and %s", async (_, known, output) => {
    const refund = jest.fn<(effect: Refund, step: StepContext) => Promise<void>>(async () => {});
    const asked = { operation: "refund", undo: { ...undone, ...known } };
    const outcome = await attempt({ handlers: { refund }, asked });
    expect(outcome).toEqual({ kind: "completed", output: null });
    expect(refund.mock.lastCall?.[0]).toEqual({
      input: { amount: 5 },
      output,
      key: "task:charge:do",
    });
  });
});

describe("an undo of what was done under an older contract", () => {
  test.each([
    ["input", { input: { amount: "5.00" }, outcome: "completed", output: { chargeId: "c-1" } }],
    ["output", { input: { amount: 5 }, outcome: "completed", output: { id: 7 } }],
  ] as const)("goes on with the %s as it was stored", async (_, stored) => {
    const refund = jest.fn<(effect: Refund, step: StepContext) => Promise<void>>(async () => {});
    const undo = { step: "charge", key: "task:charge:do", ...stored };
    const outcome = await attempt({ handlers: { refund }, asked: { operation: "refund", undo } });
    expect(outcome).toEqual({ kind: "completed", output: null });
    expect(refund.mock.lastCall?.[0]).toMatchObject({ input: stored.input, output: stored.output });
  });
});

const bindOnlyCharge = () => bindOperations(payments[contract], { charge: unasked });

test("an Agent without all of its handlers does not start", () => {
  expect(bindOnlyCharge).toThrow(
    expect.objectContaining({
      code: "agent.handler_missing",
      message: expect.stringMatching(/^Agent payments: no handler is given for .*refund.*: add /),
    }),
  );
});
