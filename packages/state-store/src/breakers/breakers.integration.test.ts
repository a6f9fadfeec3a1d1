import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
let other: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }]);
  ({ db, submission, operations, scheduler } = await openTestStores(workflow));
  const withoutFaults = "a probe whose answer was lost is left to the resend";
  scheduler = await db.open("scheduler", { withoutFaults });
  other = await db.open("scheduler", { withoutFaults });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("breakers", "alerts", "outbox", "agents"));

const service = "agent";
const actor = "scheduler-1";
const failing = { services: [{ service, reason: "10 attempts in a row failed" }], actor };
const open = () => scheduler.openBreakers(failing);
const breaker = async (store = scheduler) =>
  (await store.findBreakers()).find((found) => found.service === service);
/** Has so many milliseconds pass for breakers. */
const pass = (ms: number) =>
  db.query(`update state.breakers
               set since = since - interval '${ms} ms', open_until = open_until - interval '${ms} ms',
                   throttled_until = throttled_until - interval '${ms} ms',
                   alerted_at = alerted_at - interval '${ms} ms'`);
const probeBy = (store: StateStore, lockedBy = actor) =>
  store.claimProbe({ service, lanes: [{ lane: "agent" }], lockedBy, resendAfter: 5_000 });
const alerts = () => db.query("select kind, code, detail from state.alerts order by id");
const end = (token: string, answered: boolean) =>
  scheduler.endProbes({ outcomes: [{ token, answered, code: "psp.down" }], actor });

describe("a breaker", () => {
  test("is opened by the first Scheduler that says so, for five seconds, and alerts once", async () => {
    expect(await Promise.all([open(), other.openBreakers({ ...failing, actor: "b" })])).toEqual(
      expect.arrayContaining([0, 1]),
    );
    expect(await breaker(other)).toMatchObject({ state: "open", held: false });
    const { openFor = 0 } = (await breaker()) ?? {};
    expect(openFor).toBeGreaterThan(3_000);
    expect(openFor).toBeLessThanOrEqual(5_000);
    expect(await alerts()).toEqual([
      { kind: "breaker.opened", code: service, detail: "10 attempts in a row failed" },
    ]);
    expect(await db.query("select channel from state.outbox")).toEqual([{ channel: "alert" }]);
  });

  test("that opens again raises an alert only if the last one is ten minutes old", async () => {
    for (const minutes of [0, 5, 6]) {
      await pass(minutes * 60_000);
      await operations.closeBreaker({ service, actor: "ann", reason: "repaired" });
      expect(await open()).toBe(1);
    }
    expect(await alerts()).toHaveLength(2);
  });

  test("is tried by one probe of all Schedulers, once it has been open for long enough", async () => {
    await submitMany(submission, 60);
    await open();
    expect(await probeBy(scheduler)).toBeNull();
    await pass(5_000);
    // Many at a time, and many times: one may lock the breaker just after another has committed its
    // probe.
    for (let round = 0; round < 20; round += 1) {
      const asked = Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0 ? probeBy(scheduler) : probeBy(other, "b"),
      );
      const [probe, ...more] = (await Promise.all(asked)).filter((found) => found !== null);
      expect(probe).toMatchObject({ name: "a", attempt: 1 });
      expect(more).toEqual([]);
      expect(await breaker()).toMatchObject({ state: "half-open", openFor: null });
      expect(await probeBy(other, "b")).toBeNull();
      await end(probe!.token, false);
      await pass(60_000);
    }
  });

  test("closes when its probe is answered", async () => {
    await submitMany(submission, 1);
    await open();
    await pass(5_000);
    const probe = await probeBy(scheduler);
    await end(probe!.token, true);
    expect(await breaker()).toMatchObject({ state: "closed", reason: "A probe was answered" });
    await pass(60_000);
    expect(await breaker()).toBeUndefined();
  });

  test("opens for twice as long each time its probe fails, up to a minute", async () => {
    await submitMany(submission, 8);
    await open();
    const durations: number[] = [];
    for (let probes = 0; probes < 6; probes += 1) {
      await pass(60_000);
      const probe = await probeBy(scheduler);
      await end(probe!.token, false);
      const [row] = await db.query<{ ms: number }>(
        "select round(extract(epoch from open_until - since) * 1000)::integer as ms from state.breakers",
      );
      durations.push(row!.ms);
    }
    expect(durations).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(await alerts()).toHaveLength(1);
  });

  test("is not moved by an attempt that is not its probe", async () => {
    await submitMany(submission, 2);
    const [before] = await claimAll(scheduler);
    await open();
    await pass(5_000);
    await submitMany(submission, 1);
    await probeBy(scheduler);
    for (const answered of [true, false]) await end(before!.token, answered);
    expect(await breaker()).toMatchObject({ state: "half-open" });
  });

  test("is tried by another step when its probe ended without an answer", async () => {
    await submitMany(submission, 2);
    await open();
    await pass(5_000);
    const first = await probeBy(scheduler);
    await db.query("update state.steps set complete_by = now() where process_state = 'processing'");
    const event = { kind: "expired", step: "a", attempt: 1, token: first!.token } as const;
    await scheduler.applyEvents([{ taskId: first!.taskId, event }], { actor });
    expect(await probeBy(other, "b")).toMatchObject({ name: "a" });
  });

  test("stays open when no step is due, and is tried by the next one", async () => {
    await open();
    await pass(5_000);
    expect(await probeBy(scheduler)).toBeNull();
    expect(await breaker()).toMatchObject({ state: "open" });
    await submitMany(submission, 1);
    expect(await probeBy(scheduler)).not.toBeNull();
  });
});

describe("a probe", () => {
  test("is processed like every step", async () => {
    await submitMany(submission, 1);
    await open();
    await pass(5_000);
    const probe = await probeBy(scheduler);
    const report = { taskId: probe!.taskId, event: completed(probe!), output: {} };
    await scheduler.applyEvents([report], { actor });
    expect(await submission.countTasks()).toEqual({ processed: 1 });
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("is not taken of an Agent that an operator has paused", async () => {
    await submitMany(submission, 1);
    await open();
    await pass(5_000);
    await operations.pause({ kind: "agent", name: "agent", actor: "ann", reason: "a look" });
    expect(await probeBy(scheduler)).toBeNull();
    await operations.resume({ kind: "agent", name: "agent", actor: "ann", reason: "done" });
    expect(await probeBy(scheduler)).not.toBeNull();
  });
});

describe("an operator", () => {
  const request = { service, actor: "ann", reason: "maintenance" };

  test("holds a breaker open until it is closed, whatever probes say", async () => {
    await submitMany(submission, 2);
    await open();
    await pass(5_000);
    const probe = await probeBy(scheduler);
    expect(await operations.holdBreakerOpen(request)).toBe(true);
    expect(await operations.holdBreakerOpen(request)).toBe(false);
    await end(probe!.token, true);
    await pass(3_600_000);
    expect(await breaker()).toMatchObject({ state: "open", held: true, openFor: null });
    expect(await probeBy(scheduler)).toBeNull();
    expect(await operations.closeBreaker(request)).toBe(true);
    expect(await operations.closeBreaker(request)).toBe(false);
    expect(await breaker()).toMatchObject({ state: "closed", reason: "maintenance" });
  });

  test("sees what a breaker holds back, and the step that is tried", async () => {
    await submitMany(submission, 12);
    expect(await operations.findRemotes()).toMatchObject([
      { service, agents: ["agent"], state: "closed", since: null, heldSteps: 0, heldTasks: [] },
    ]);
    await open();
    await pass(5_000);
    const probe = await probeBy(scheduler);
    const [remote] = await operations.findRemotes();
    expect(remote).toMatchObject({
      state: "half-open",
      actor,
      reason: "10 attempts in a row failed",
      held: false,
      probeTaskId: probe!.taskId,
      probeStep: "a",
      heldSteps: 11,
    });
    expect(remote!.heldTasks).toHaveLength(10);
    expect(remote!.heldTasks).not.toContain(probe!.taskId);
  });

  test("sees what the service answered last, and not what was made of that", async () => {
    await submitMany(submission, 2);
    const claims = await claimAll(scheduler);
    const failure = { transient: true, effect: "unknown", retryAfter: null } as const;
    const report = (index: number, code: string, attempted: boolean, faultDetail: string) => {
      const { taskId, name: step, attempt, token } = claims[index]!;
      const event = { kind: "failed", code, attempted, step, attempt, token, ...failure } as const;
      return scheduler.applyEvents([{ taskId, event, faultDetail }], { actor });
    };
    await report(0, "psp.unreachable", true, "psp does not answer");
    await report(1, "agent.circuit_open", false, "its circuit is open");
    await open();
    expect(await operations.findRemotes()).toMatchObject([
      {
        service,
        state: "open",
        lastFault: { code: "psp.unreachable", detail: "psp does not answer" },
      },
    ]);
  });

  test("sees a service that asked to be left alone, and ends that", async () => {
    await scheduler.throttleServices({ throttles: [{ service, throttle: 30_000 }], actor });
    await scheduler.throttleServices({ throttles: [{ service, throttle: 10 }], actor });
    const { throttledFor } = (await breaker()) ?? {};
    expect(throttledFor).toBeGreaterThan(20_000);
    expect(await operations.findRemotes()).toMatchObject([
      { state: "closed", throttledUntil: expect.any(Date) },
    ]);
    expect(await operations.closeBreaker(request)).toBe(true);
    expect(await breaker()).toMatchObject({ throttledFor: null });
  });
});

test("submission, applications and the Supervisor cannot move a breaker", async () => {
  const supervisor = await db.open("supervisor");
  for (const store of [submission, supervisor]) {
    await expect(store.openBreakers(failing)).rejects.toThrow("permission denied");
  }
});
