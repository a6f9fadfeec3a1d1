import type { StepRequest } from "@holdfast/contracts";
import { PermanentFault, TransientFault } from "@holdfast/domain";
import { contract } from "@holdfast/workflow";
import { describe, expect, jest, test } from "@jest/globals";
import { payments, request } from "../../test/fixtures.ts";
import type { EffectOf, Handlers, StepContext } from "../contract/handlers.ts";
import { bindOperations } from "../contract/operations.ts";
import { attemptStep } from "./attempt-step.ts";
import { type ResilienceOptions, resiliencePolicy } from "./resilience-policy.ts";

type PaymentsHandlers = Handlers<typeof payments>;
type Refund = EffectOf<(typeof payments)[typeof contract]["operations"]["charge"]>;

interface Trial {
  readonly handlers: Partial<PaymentsHandlers>;
  readonly asked?: Partial<StepRequest>;
  readonly signal?: AbortSignal;
  readonly stop?: AbortSignal;
  readonly guard?: ResilienceOptions;
  readonly onUnexpected?: (error: unknown) => void;
}

const never = new AbortController().signal;
const unasked = () => Promise.reject(new Error("Nobody asked for this"));

/** One attempt by an Agent with these handlers. */
function attempt({
  handlers,
  asked,
  signal = never,
  stop = signal,
  guard,
  onUnexpected = () => {},
}: Trial) {
  const all = { charge: unasked, refund: unasked, assess: unasked, ...handlers };
  const wanted = request(asked);
  return attemptStep(wanted, {
    operation: bindOperations(payments[contract].operations, all).get(wanted.operation),
    resiliencePolicy: resiliencePolicy({ firstRest: 0, ...guard }),
    signal,
    stop,
    onUnexpected,
  });
}

/** A handler that throws these, one after the other, and then succeeds. */
function throwing(...errors: readonly unknown[]) {
  const left = [...errors];
  return jest.fn<PaymentsHandlers["charge"]>(async () => {
    if (left.length > 0) throw left.shift();
    return { chargeId: "c-1" };
  });
}

test("an attempt replies with the output of its handler", async () => {
  const charge = jest.fn<PaymentsHandlers["charge"]>(async () => ({ chargeId: "c-1" }));
  const outcome = await attempt({ handlers: { charge } });
  expect(outcome).toEqual({ kind: "completed", output: { chargeId: "c-1" } });
  const [input, step] = charge.mock.lastCall ?? [];
  expect(input).toEqual({ amount: 5 });
  expect(step).toMatchObject({ step: "charge", attempt: 1, idempotencyKey: "task:charge:do" });
});

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
      new PermanentFault("payments.declined", "no", { details: { effect: "none" } }),
      { code: "payments.declined", message: "no", transient: false, effect: "none" },
    ],
    [
      "when to come back",
      new TransientFault("payments.busy", "later", { details: { retryAfterMs: 1_500.5 } }),
      {
        code: "payments.busy",
        message: "later",
        transient: true,
        effect: "unknown",
        retryAfterMs: 1_501,
      },
    ],
    [
      "a text that the store can hold, and no more of it than anybody reads",
      new PermanentFault("payments.odd", `\u0000${"x".repeat(3_000)}`),
      {
        code: "payments.odd",
        message: "x".repeat(2_000),
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
    async (retryAfterMs) => {
      const busy = new TransientFault("payments.busy", "later", { details: { retryAfterMs } });
      const outcome = await attempt({ handlers: { charge: () => Promise.reject(busy) } });
      expect(outcome).not.toHaveProperty("retryAfterMs");
    },
  );
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
    ["that nobody knows what came out", { outcome: "unknown", output: null }, undefined],
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

describe("a transient fault", () => {
  const gone = new TransientFault("payments.unreachable", "gone");
  const harmless = { details: { effect: "none" } };

  test("is retried with the same idempotency key", async () => {
    const charge = throwing(gone, new Error("boom"));
    expect(await attempt({ handlers: { charge } })).toMatchObject({ kind: "completed" });
    const keys = charge.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey);
    expect(keys).toEqual(Array(3).fill("task:charge:do"));
  });

  test.each([
    ["a permanent fault", new PermanentFault("payments.declined", "no")],
    [
      "being asked to wait",
      new TransientFault("payments.busy", "x", { details: { retryAfterMs: 1 } }),
    ],
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
  const operation = bindOperations(payments[contract].operations, {
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

describe("a handler whose attempt is cancelled", () => {
  test("reports the cancellation with an unknown effect", async () => {
    const stop = new AbortController();
    const charge: PaymentsHandlers["charge"] = (_, { signal }) => {
      stop.abort();
      return Promise.reject(signal.reason);
    };
    expect(await attempt({ handlers: { charge }, stop: stop.signal })).toEqual({
      kind: "stopped",
      effect: "unknown",
    });
  });

  test("reports no effect if it made no call", async () => {
    const charge = throwing();
    const outcome = await attempt({ handlers: { charge }, stop: AbortSignal.abort() });
    expect(outcome).toEqual({ kind: "stopped", effect: "none" });
    expect(charge).not.toHaveBeenCalled();
  });

  test("may still finish, because the undo needs its output", async () => {
    const stop = new AbortController();
    const charge = async () => {
      stop.abort();
      return { chargeId: "c-1" };
    };
    expect(await attempt({ handlers: { charge }, stop: stop.signal })).toEqual({
      kind: "completed",
      output: { chargeId: "c-1" },
    });
  });

  test("is not retried", async () => {
    const stop = new AbortController();
    const charge = jest.fn<PaymentsHandlers["charge"]>(() => {
      stop.abort();
      return Promise.reject(new Error("boom"));
    });
    expect(await attempt({ handlers: { charge }, stop: stop.signal })).toMatchObject({
      kind: "stopped",
    });
    expect(charge).toHaveBeenCalledTimes(1);
  });
});

describe("after the deadline", () => {
  test("sends no reply, even if the handler does not stop", async () => {
    const deadline = new AbortController();
    const charge = () => {
      deadline.abort();
      return new Promise<never>(() => {});
    };
    expect(await attempt({ handlers: { charge }, signal: deadline.signal })).toBeNull();
  });

  test.each([
    ["output", () => Promise.resolve({ chargeId: "c-1" })],
    ["error", () => Promise.reject(new PermanentFault("payments.declined", "no"))],
  ])("sends no reply for an %s that came a moment too late", async (_, settle) => {
    const deadline = new AbortController();
    const charge = () => {
      deadline.abort();
      return settle();
    };
    expect(await attempt({ handlers: { charge }, signal: deadline.signal })).toBeNull();
  });

  test("aborts the handler's signal", async () => {
    const deadline = new AbortController();
    const signals: AbortSignal[] = [];
    const charge: PaymentsHandlers["charge"] = (_, { signal }) => {
      signals.push(signal);
      deadline.abort();
      return new Promise(() => {});
    };
    await attempt({ handlers: { charge }, signal: deadline.signal });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("starts no call that was still waiting", async () => {
    const charge = throwing();
    expect(await attempt({ handlers: { charge }, signal: AbortSignal.abort() })).toBeNull();
    expect(charge).not.toHaveBeenCalled();
  });

  test("starts no retry that was delayed", async () => {
    jest.useFakeTimers();
    try {
      const deadline = new AbortController();
      const charge = throwing(new Error("boom"));
      const outcome = attempt({
        handlers: { charge },
        signal: deadline.signal,
        guard: { firstRest: 1_000 },
      });
      await jest.advanceTimersByTimeAsync(0);
      deadline.abort();
      expect(await outcome).toBeNull();
      await jest.runAllTimersAsync();
      expect(charge).toHaveBeenCalledTimes(1);
    } finally {
      jest.useRealTimers();
    }
  });
});

const bindOnlyCharge = () => bindOperations(payments[contract].operations, { charge: unasked });

test("an Agent without all of its handlers does not start", () => {
  expect(bindOnlyCharge).toThrow(expect.objectContaining({ code: "agent.handler_missing" }));
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
