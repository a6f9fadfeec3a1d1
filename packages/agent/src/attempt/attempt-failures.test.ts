import { PermanentFault, TransientFault } from "@holdfast/domain";
import { contract } from "@holdfast/workflow";
import { describe, expect, jest, test } from "@jest/globals";
import { attempt, never, throwing } from "../../test/attempts.ts";
import { payments, request, unasked } from "../../test/fixtures.ts";
import { bindOperations } from "../contract/operations.ts";
import { attemptStep } from "./attempt-step.ts";
import { resiliencePolicy } from "./resilience-policy.ts";

describe("a failure", () => {
  const attempted = { kind: "failed", attempted: true };
  test.each([
    [
      "a permanent fault",
      new PermanentFault("payments.declined", "no"),
      { code: "payments.declined", message: "no", transient: false, effect: "unknown" },
    ],
    [
      "a transient fault",
      new TransientFault("payments.unreachable", "gone"),
      { code: "payments.unreachable", message: "gone", transient: true, effect: "unknown" },
    ],
    [
      "anything else that was thrown",
      new Error("boom"),
      { code: "agent.unexpected", message: "boom", transient: true, effect: "unknown" },
    ],
    [
      "a fault that had no effect for certain",
      new PermanentFault("payments.declined", "no", { effect: "none" }),
      { code: "payments.declined", message: "no", transient: false, effect: "none" },
    ],
    [
      "when to come back",
      new TransientFault("payments.busy", "later", { retryAfter: 1_500.5 }),
      {
        code: "payments.busy",
        message: "later",
        transient: true,
        effect: "unknown",
        retryAfterMs: 1_501,
      },
    ],
    [
      "a text that can be stored and shown, and no more of it than a person reads",
      new PermanentFault("payments.odd", `\u0000\u001b\n${"x".repeat(3_000)}`),
      {
        code: "payments.odd",
        message: `\ufffd\ufffd\n${"x".repeat(1_997)}`,
        transient: false,
        effect: "unknown",
      },
    ],
  ])("reports %s", async (_, error, expected) => {
    const outcome = await attempt({
      handlers: { charge: () => Promise.reject(error) },
      guard: { retries: 0 },
    });
    expect(outcome).toEqual({ ...attempted, ...expected });
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
    "omits an invalid retry-after time: %p",
    async (retryAfter) => {
      const busy = new TransientFault("payments.busy", "later", { retryAfter });
      const outcome = await attempt({ handlers: { charge: () => Promise.reject(busy) } });
      expect(outcome).not.toHaveProperty("retryAfterMs");
    },
  );
});

describe("a transient fault", () => {
  const gone = new TransientFault("payments.unreachable", "gone");
  const harmless = { effect: "none" } as const;

  test("is retried with the same idempotency key", async () => {
    const charge = throwing(gone, new Error("boom"));
    expect(await attempt({ handlers: { charge } })).toMatchObject({ kind: "completed" });
    const keys = charge.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey);
    expect(keys).toEqual(Array(3).fill("task:charge:do"));
  });

  test.each([
    ["a permanent fault", new PermanentFault("payments.declined", "no")],
    ["being asked to wait", new TransientFault("payments.busy", "x", { retryAfter: 1 })],
  ])("is not retried: %s", async (_, error) => {
    const charge = throwing(error);
    expect(await attempt({ handlers: { charge } })).toMatchObject({ kind: "failed" });
    expect(charge).toHaveBeenCalledTimes(1);
  });

  test("of unknown effect makes the whole attempt's effect unknown, whatever later tries report", async () => {
    const charge = throwing(gone, new PermanentFault("payments.undone", "no", harmless));
    expect(await attempt({ handlers: { charge } })).toMatchObject({
      code: "payments.undone",
      effect: "unknown",
    });
  });

  test("that opened the circuit breaker still counts as an attempt", async () => {
    const outcome = await attempt({ handlers: { charge: throwing(gone) }, guard: { failures: 1 } });
    expect(outcome).toMatchObject({ code: "agent.circuit_open", attempted: true });
    expect(outcome).toMatchObject({ effect: "unknown", transient: true });
  });
});

test("an attempt reports that it made no call while the circuit breaker is open", async () => {
  const guard = resiliencePolicy({ failures: 1, retries: 0 });
  const down = new TransientFault("payments.unreachable", "gone");
  await expect(guard.call(() => Promise.reject(down), never)).rejects.toBe(down);

  const charge = throwing();
  const operation = bindOperations(payments[contract], {
    charge,
    refund: unasked,
    assess: unasked,
  }).get("charge");
  const outcome = await attemptStep(request(), {
    operation,
    resiliencePolicy: guard,
    signal: never,
  });
  expect(outcome).toMatchObject({ attempted: false, transient: true, effect: "none" });
  expect(outcome).toHaveProperty("retryAfterMs", expect.any(Number));
  expect(charge).not.toHaveBeenCalled();
});

describe("an exception of a handler that is no Fault", () => {
  test("is reported once for each attempt, as it was thrown, however often the call was retried", async () => {
    const bugs = [new TypeError("first"), new TypeError("second"), new TypeError("last")];
    const onUnexpected = jest.fn();
    const outcome = await attempt({ handlers: { charge: throwing(...bugs) }, onUnexpected });
    expect(outcome).toMatchObject({ kind: "failed", code: "agent.unexpected", message: "last" });
    expect(onUnexpected.mock.calls).toEqual([[bugs[2]]]);
  });

  test.each([
    ["a Fault", new PermanentFault("payments.declined", "no")],
    ["a transient Fault", new TransientFault("payments.down", "later")],
  ])("is not reported if it is %s", async (_, fault) => {
    const onUnexpected = jest.fn();
    await attempt({ handlers: { charge: throwing(fault, fault, fault) }, onUnexpected });
    expect(onUnexpected).not.toHaveBeenCalled();
  });

  test("is not reported if the handler throws it because its signal was aborted", async () => {
    const stop = new AbortController();
    const onUnexpected = jest.fn();
    const charge = async () => {
      stop.abort();
      throw new Error("stopped");
    };
    const asked = { handlers: { charge }, stop: stop.signal, onUnexpected };
    expect(await attempt(asked)).toMatchObject({ kind: "stopped" });
    expect(onUnexpected).not.toHaveBeenCalled();
  });
});
