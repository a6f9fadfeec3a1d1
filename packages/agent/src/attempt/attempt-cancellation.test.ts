import { PermanentFault } from "@holdfast/domain";
import { describe, expect, jest, test } from "@jest/globals";
import { attempt, type PaymentsHandlers, throwing } from "../../test/attempts.ts";

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
