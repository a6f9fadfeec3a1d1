import { randomUUID } from "node:crypto";
import type { StepRequest } from "@holdfast/contracts";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";

/** An Agent as an author would declare it. */
export const payments = defineAgent("payments", {
  charge: {
    input: z.object({ amount: z.int() }),
    output: z.object({ chargeId: z.string() }),
    undo: "refund",
  },
  assess: { input: z.object({ amount: z.int() }), output: z.json() },
});

/** A request to charge five, with a minute to do it. */
export const request = (overrides: Partial<StepRequest> = {}): StepRequest => ({
  taskId: randomUUID(),
  step: "charge",
  agent: "payments",
  operation: "charge",
  attempt: 1,
  token: randomUUID(),
  idempotencyKey: "task:charge:do",
  workMs: 60_000,
  completeBy: "2030-01-01T00:00:00.000Z",
  input: { amount: 5 },
  ...overrides,
});

/** A handler of an operation that the test does not expect to be called. */
export const unasked = () => Promise.reject(new Error("The test calls no such operation"));
