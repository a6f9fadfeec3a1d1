import { PermanentFault, TransientFault } from "@holdfast/domain";
import { expect, jest, test } from "@jest/globals";
import { type ResiliencePolicy, resiliencePolicy } from "./resilience-policy.ts";

const { signal } = new AbortController();
const down = new TransientFault("payments.unreachable", "gone");
const isOpen = expect.objectContaining({ code: "agent.circuit_open" });

const fail = (guard: ResiliencePolicy, error: unknown = down) =>
  expect(guard.call(() => Promise.reject(error), signal)).rejects.toBe(error);

/** Two failures in a row open it. */
const guardOf = (openFor: number) => resiliencePolicy({ retries: 0, failures: 2, openFor });

test("the circuit breaker stops calling a remote service that failed too often in a row, and says for how long", async () => {
  const guard = guardOf(60_000);
  await fail(guard);
  await fail(guard);
  const work = jest.fn(async () => "done");
  const refused = await guard.call(work, signal).catch((error: unknown) => error);
  expect(refused).toEqual(isOpen);
  const { retryAfter } = refused as TransientFault;
  expect(retryAfter).toBeGreaterThan(50_000);
  expect(retryAfter).toBeLessThanOrEqual(60_000);
  expect(work).not.toHaveBeenCalled();
});

test("a success resets the circuit breaker's count of failures", async () => {
  const guard = guardOf(60_000);
  await fail(guard);
  await guard.call(async () => "done", signal);
  await fail(guard);
  expect(await guard.call(async () => "done", signal)).toBe("done");
});

test("a service that says when to come back opens no circuit breaker", async () => {
  const guard = guardOf(60_000);
  const busy = new TransientFault("payments.busy", "later", { retryAfter: 100 });
  for (let count = 0; count < 5; count += 1) await fail(guard, busy);
  expect(await guard.call(async () => "done", signal)).toBe("done");
});

test("a permanent fault is an answer and no failure of the service", async () => {
  const guard = guardOf(60_000);
  const declined = new PermanentFault("payments.declined", "no");
  for (let count = 0; count < 5; count += 1) await fail(guard, declined);
  expect(await guard.call(async () => "done", signal)).toBe("done");
});

test("one call probes whether the service is back, and other calls do not wait for it", async () => {
  const guard = guardOf(0);
  await fail(guard);
  await fail(guard);
  const probe = Promise.withResolvers<string>();
  const probing = guard.call(() => probe.promise, signal);
  await expect(guard.call(async () => "early", signal)).rejects.toEqual(isOpen);
  probe.resolve("back");
  expect(await probing).toBe("back");
  expect(await guard.call(async () => "done", signal)).toBe("done");
});

test("a failed probe opens the circuit breaker again", async () => {
  const guard = resiliencePolicy({ retries: 0, failures: 1, openFor: 1_000 });
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
  try {
    await fail(guard);
    jest.advanceTimersByTime(1_000);
    await fail(guard);
    await expect(guard.call(async () => "early", signal)).rejects.toEqual(isOpen);
    jest.advanceTimersByTime(1_000);
    expect(await guard.call(async () => "done", signal)).toBe("done");
  } finally {
    jest.useRealTimers();
  }
});

test("a jump of the wall clock keeps no circuit breaker open", async () => {
  const guard = guardOf(0);
  await fail(guard);
  await fail(guard);
  const clock = jest.spyOn(Date, "now").mockReturnValue(0);
  try {
    expect(await guard.call(async () => "done", signal)).toBe("done");
  } finally {
    clock.mockRestore();
  }
});
