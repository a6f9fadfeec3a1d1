import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { decide } from "./decide.ts";
import { maxRequeues } from "./failure.ts";
import { foldEvents } from "./fold-events.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { Step } from "./step.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";

const abc = () => newTask(definitionOf([{ name: "a" }, { name: "b" }, { name: "c" }]));
const diamond = () =>
  newTask(
    definitionOf([
      { name: "a" },
      { name: "b", after: ["a"] },
      { name: "c", after: ["a"] },
      { name: "d", after: ["b", "c"] },
    ]),
  );

const seen = (task: Task, ...events: readonly TaskEvent[]): Task =>
  events.reduce((current, event) => {
    const decision = decide(current, event, at(noon));
    if (!decision.applied) throw new Error(`${event.kind} was rejected: ${decision.reason}`);
    return decision.task;
  }, task);

const ref = (step: string, attempt = 1) => ({ step, attempt, token: `${step}-${attempt}` });
const claimed = (step: string, attempt = 1): TaskEvent => ({
  kind: "claimed",
  step,
  by: "scheduler-1",
  token: ref(step, attempt).token,
});
const completed = (step: string, attempt = 1): TaskEvent => ({
  kind: "completed",
  ...ref(step, attempt),
});
const failed = (
  step: string,
  attempt = 1,
  changes: Partial<Extract<TaskEvent, { kind: "failed" }>> = {},
) =>
  ({
    kind: "failed",
    ...ref(step, attempt),
    code: "x.failed",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: null,
    ...changes,
  }) as TaskEvent;
const done = (step: string, attempt = 1) => [claimed(step, attempt), completed(step, attempt)];
const declined = (step: string, attempt = 1) =>
  failed(step, attempt, { transient: false, effect: "none" });
const withStep = (task: Task, name: string, changes: object): Task => {
  const step = { ...task.steps.get(name)!, ...changes } as Step;
  return { ...task, steps: new Map(task.steps).set(name, step) };
};
const states = (task: Task) =>
  Object.fromEntries([...task.steps].map(([name, { processState }]) => [name, processState]));

describe("doing", () => {
  test("starts the steps without predecessors, and each other step after its predecessors", () => {
    expect(states(abc())).toEqual({ a: "pending", b: "waiting", c: "waiting" });
    expect(states(seen(abc(), ...done("a")))).toEqual({
      a: "processed",
      b: "pending",
      c: "waiting",
    });
  });

  test("runs branches in parallel and joins them once", () => {
    const branched = seen(diamond(), ...done("a"), claimed("b"), claimed("c"));
    expect(states(branched)).toMatchObject({ b: "processing", c: "processing", d: "waiting" });
    expect(states(seen(branched, completed("b")))).toMatchObject({ d: "waiting" });
    expect(states(seen(branched, completed("c"), completed("b")))).toMatchObject({ d: "pending" });
  });

  test("handles both branches of a join in one batch, and a reply that comes twice", () => {
    const branched = seen(diamond(), ...done("a"), claimed("b"), claimed("c"));
    const { task, outcomes } = foldEvents(
      branched,
      [completed("b"), completed("c"), completed("b")].map((event) => ({ event })),
      { now: noon, random: () => 0, values: { input: null, outputs: new Map() } },
    );
    expect(states(task)).toMatchObject({ d: "pending" });
    expect(outcomes.map(({ applied }) => applied)).toEqual([true, true, false]);
  });

  test("accepts a late reply whose attempt and token still fit", () => {
    const task = seen(abc(), claimed("a"));
    expect(decide(task, completed("a"), at(noon + 3_600_000)).applied).toBe(true);
  });

  test.each([
    ["a stale attempt", { kind: "completed", ...ref("a"), attempt: 0 }, "stale_attempt"],
    ["a forged token", { kind: "completed", ...ref("a"), token: "forged" }, "wrong_token"],
    ["another Agent's reply", { kind: "completed", ...ref("a"), agent: "other" }, "wrong_agent"],
    ["an unknown step", { kind: "completed", ...ref("z") }, "unknown_step"],
    ["a step that nobody claimed", { kind: "completed", ...ref("b") }, "not_processing"],
    ["an expiry that comes too early", { kind: "expired", ...ref("a") }, "not_expired"],
  ] as [string, TaskEvent, string][])("rejects %s", (_, event, reason) => {
    expect(decide(seen(abc(), claimed("a")), event, at(noon))).toEqual({ applied: false, reason });
  });

  test("skips a step whose condition is false, and starts the steps after it", () => {
    const definition = definitionOf([
      { name: "a" },
      { name: "b", onlyIf: { exists: { $ref: "/input/gift" } } },
      { name: "c" },
    ]);
    expect(states(seen(newTask(definition), ...done("a")))).toEqual({
      a: "processed",
      b: "skipped",
      c: "pending",
    });
  });
});

describe("failing", () => {
  test("delays a step longer after each failure, and stops retrying at the threshold", () => {
    const once = seen(abc(), claimed("a"), failed("a"));
    expect(once.steps.get("a")).toMatchObject({
      processState: "pending",
      failureCount: 1,
      notBefore: noon + 500,
    });
    const claimAgain = decide(once, claimed("a", 2), at(noon + 10_000));
    if (!claimAgain.applied) throw new Error(claimAgain.reason);
    const twice = seen(claimAgain.task, failed("a", 2));
    expect(twice.steps.get("a")).toMatchObject({ failureCount: 2, notBefore: noon + 1_000 });
    // The policy allows three failures: with the third one the task is turned around.
    const lastClaim = decide(twice, claimed("a", 3), at(noon + 20_000));
    if (!lastClaim.applied) throw new Error(lastClaim.reason);
    const given = seen(lastClaim.task, failed("a", 3));
    expect(given.steps.get("a")).toMatchObject({ processState: "error", failureCount: 3 });
    expect(given).toMatchObject({ goal: "undo", faultCode: "x.failed" });
  });

  test("retries a step that is one failure below its threshold", () => {
    const step = { name: "a", retry: { failures: 4, backoff: 1_000, max: 60_000 } };
    let task = newTask(definitionOf([step]));
    for (const attempt of [1, 2, 3]) {
      const claim = decide(task, claimed("a", attempt), at(noon + attempt * 100_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, failed("a", attempt));
    }
    expect(task.steps.get("a")).toMatchObject({ processState: "pending", failureCount: 3 });
    expect(task.goal).toBe("do");
  });

  test("does not start an attempt before its delay is over", () => {
    const resting = seen(abc(), claimed("a"), failed("a"));
    expect(decide(resting, claimed("a", 2), at(noon))).toEqual({
      applied: false,
      reason: "not_due",
    });
  });

  test("delays the retry for as long as the remote service asked", () => {
    const task = seen(abc(), claimed("a"), failed("a", 1, { retryAfter: 9_000 }));
    expect(task.steps.get("a")).toMatchObject({ notBefore: noon + 9_000 });
  });

  test("counts no failure if the Agent did not call the remote service", () => {
    const task = seen(abc(), claimed("a"), failed("a", 1, { attempted: false, effect: "none" }));
    expect(task.steps.get("a")).toMatchObject({
      failureCount: 0,
      requeueCount: 1,
      mayHaveEffect: true,
    });
  });

  test("counts no failure for silence about a request that the broker never confirmed, and one for a confirmed request", () => {
    const task = seen(abc(), claimed("a"));
    const late = at(noon + 60_000);
    const lost = decide(task, { kind: "expired", ...ref("a") }, late);
    const a = task.steps.get("a")!;
    const sent = {
      ...task,
      steps: new Map(task.steps).set("a", { ...a, dispatched: true } as typeof a),
    };
    const silent = decide(sent, { kind: "expired", ...ref("a") }, late);
    expect(lost).toMatchObject({ applied: true, changes: [{ action: "requeue" }] });
    expect(silent).toMatchObject({ applied: true, changes: [{ action: "retry" }] });
  });

  test.each([
    ["the broker delivered to no one before", { redelivered: false }, {}, false],
    ["of which its Agent does not say whether it was delivered before", {}, {}, true],
    ["the broker delivered before", { redelivered: true }, {}, true],
    ["was relayed", { redelivered: false }, { relayed: true }, true],
  ])("a refusal without a call of a request that %s: undone?", (_, reply, step, isUndone) => {
    const task = withStep(seen(abc(), claimed("a")), "a", step);
    const refusal = { transient: false, attempted: false, effect: "none", ...reply } as const;
    const after = seen(task, failed("a", 1, refusal));
    expect(after.steps.has("a:undo")).toBe(isUndone);
    expect(after.steps.get("a")).toMatchObject({ processState: "error", mayHaveEffect: isUndone });
  });

  test.each([
    ["that the remote service declined", {}, {}, false],
    ["that it declined, delivered for the second time", { redelivered: true }, {}, true],
    ["that it declined, relayed", { redelivered: false }, { relayed: true }, true],
  ])("an attempt %s: undone?", (_, reply, step, isUndone) => {
    const task = withStep(seen(abc(), claimed("a")), "a", step);
    const declines = { transient: false, effect: "none", ...reply } as const;
    expect(seen(task, failed("a", 1, declines)).steps.has("a:undo")).toBe(isUndone);
  });

  test.each([
    ["of a relayed request", abc(), { relayed: true }],
    ["of a call that is to be undone", abc(), {}],
  ])("concludes nothing before complete-by from a returned copy %s", (_, task, step) => {
    const begun = withStep(seen(task, claimed("a")), "a", step);
    const relayed = "relayed" in step;
    const asked = relayed ? begun : seen(begun, { kind: "undoRequested", code: "x.y" });
    const back: TaskEvent = { kind: "neverStarted", ...ref("a") };
    expect(decide(asked, back, at(noon))).toEqual({ applied: false, reason: "may_be_running" });
    const { completeBy } = asked.steps.get("a") as { completeBy: number } & Step;
    const action = relayed ? "requeue" : "cancel";
    const overdue = decide(asked, back, at(completeBy));
    expect(overdue.applied && overdue.changes[0]?.action).toBe(action);
  });

  test("counts no failure for silence about a relayed request, because perhaps no Agent received it", () => {
    const task = withStep(seen(abc(), claimed("a")), "a", { relayed: true, dispatched: true });
    const silent = decide(task, { kind: "expired", ...ref("a") }, at(noon + 60_000));
    expect(silent).toMatchObject({
      changes: [{ action: "requeue", step: { failureCount: 0, mayHaveEffect: true } }],
    });
  });

  test("counts no failure for silence while no reply could have arrived", () => {
    const task = seen(abc(), claimed("a"));
    const a = { ...task.steps.get("a")!, dispatched: true } as Step;
    const sent = { ...task, steps: new Map(task.steps).set("a", a) };
    const excused = decide(
      sent,
      { kind: "expired", excused: true, ...ref("a") },
      at(noon + 60_000),
    );
    expect(excused).toMatchObject({
      changes: [{ action: "requeue", step: { failureCount: 0, mayHaveEffect: true } }],
    });
  });

  test.each([
    ["a code of its own", "x.failed", { action: "coolDown", step: { failureCount: 1 } }],
    ["all of an area", "y.odd", { action: "fail" }],
    ["any other code", "z.failed", { action: "retry", step: { failureCount: 1 } }],
  ])("handles %s as its policy says", (_, code, expected) => {
    const [once, rest] = [
      { failures: 1, backoff: 1, max: 1 },
      { wait: 600_000, times: null },
    ];
    const faults = [
      { code: "x.failed", retry: once, coolDown: rest },
      { code: "y.*", retry: once, onFailure: "halt" as const },
    ];
    const task = seen(newTask(definitionOf([{ name: "a", faults }])), claimed("a"));
    const decision = decide(task, failed("a", 1, { code }), at(noon));
    expect(decision).toMatchObject({ applied: true, changes: [expected] });
    if (code === "y.odd") expect(decision).toMatchObject({ task: { processState: "error" } });
  });

  test("keeps the failures that were counted before, if one fault code has a lower threshold", () => {
    const faults = [{ code: "x.rare", retry: { failures: 1, backoff: 1, max: 1 } }];
    let task = newTask(definitionOf([{ name: "a", faults }]));
    for (const [index, code] of ["x.failed", "x.failed", "x.rare"].entries()) {
      const claim = decide(task, claimed("a", index + 1), at(noon + index * 60_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, failed("a", index + 1, { code }));
    }
    expect(task.steps.get("a")).toMatchObject({ processState: "error", failureCount: 2 });
  });

  test(`counts a step as failed that was requeued ${maxRequeues} times in a row`, () => {
    let task = abc();
    for (let attempt = 1; attempt <= maxRequeues; attempt += 1) {
      const claim = decide(task, claimed("a", attempt), at(noon + attempt * 60_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, { kind: "neverStarted", ...ref("a", attempt) });
    }
    expect(task.steps.get("a")).toMatchObject({ failureCount: 1, requeueCount: 0 });
  });

  test("cools a step down if its policy says so, and only as often as it says", () => {
    const coolDown = { wait: 600_000, times: 1 };
    const retry = { failures: 1, backoff: 1, max: 1 };
    const definition = definitionOf([{ name: "a", retry, coolDown }]);
    const resting = seen(newTask(definition), claimed("a"), failed("a"));
    expect(resting.steps.get("a")).toMatchObject({
      coolDowns: 1,
      failureCount: 1,
      notBefore: noon + 600_000,
    });
    const probe = decide(resting, claimed("a", 2), at(noon + 600_000));
    if (!probe.applied) throw new Error(probe.reason);
    expect(seen(probe.task, failed("a", 2)).goal).toBe("undo");
  });

  test("halts the task if the policy says so: nothing new starts, and attempts in flight end by themselves", () => {
    const definition = definitionOf([
      { name: "a", after: [], onFailure: "halt" },
      { name: "b", after: [] },
      { name: "c", after: [] },
      { name: "d", after: ["b"] },
    ]);
    const halted = seen(newTask(definition), claimed("a"), claimed("b"), declined("a"));
    expect(halted).toMatchObject({ processState: "error", goal: "do", faultCode: "x.failed" });
    const drained = seen(halted, completed("b"));
    expect(states(drained)).toEqual({ a: "error", b: "processed", c: "waiting", d: "waiting" });
    const resumed = seen(drained, {
      kind: "resubmitted",
      step: "a",
      attempt: 1,
      inputChanged: false,
    });
    expect(states(resumed)).toEqual({ a: "pending", b: "processed", c: "pending", d: "pending" });
    expect(resumed.faultCode).toBeNull();
  });
});

describe("pausing", () => {
  const paused: TaskEvent = { kind: "paused" };
  const resumed: TaskEvent = { kind: "resumed" };

  test("starts no step, lets attempts in flight end, and goes on from there after the resume", () => {
    const task = seen(diamond(), ...done("a"), claimed("b"), paused);
    expect(states(task)).toMatchObject({ b: "processing", c: "waiting", d: "waiting" });
    const drained = seen(task, completed("b"));
    expect(states(drained)).toMatchObject({ b: "processed", c: "waiting" });
    expect(states(seen(drained, resumed))).toMatchObject({ c: "pending", d: "waiting" });
  });

  test("holds back a retry and an undo as well", () => {
    const failing = seen(abc(), claimed("a"), paused, failed("a"));
    expect(failing.steps.get("a")).toMatchObject({ processState: "waiting", failureCount: 1 });
    const undoing = seen(abc(), ...done("a"), paused, { kind: "undoRequested", code: "x.y" });
    expect(states(undoing)).toMatchObject({ "a:undo": "waiting" });
    expect(states(seen(undoing, resumed))).toMatchObject({ "a:undo": "pending" });
  });

  test.each([
    ["twice", [paused], paused, "already_paused"],
    ["without a pause", [], resumed, "not_paused"],
  ])("is refused %s", (_, before, event, reason) => {
    expect(decide(seen(abc(), ...before), event, at(noon))).toEqual({ applied: false, reason });
  });
});

/** A step whose Agent asked for this delay. */
const delayed = (plan: object, retryAfter: number) =>
  seen(
    newTask(definitionOf([{ name: "a", ...plan }])),
    claimed("a"),
    failed("a", 1, { retryAfter }),
  ).steps.get("a");

describe("a delay that an Agent asks for", () => {
  const hour = 3_600_000;
  test.each([
    ["one that the policy allows", {}, 600_000, 600_000],
    ["8e15 ms", {}, 8e15, hour],
    ["1e308 ms", {}, 1e308, hour],
    [
      "more than an hour where retries wait longer",
      { retry: { failures: 3, backoff: 1, max: 2 * hour } },
      9e9,
      2 * hour,
    ],
    [
      "more than an hour where the cool-down is longer",
      { coolDown: { wait: 5 * hour, times: 1 } },
      9e9,
      5 * hour,
    ],
    [
      "more than an hour where the policy of one fault allows it",
      { faults: [{ code: "x.other", coolDown: { wait: 3 * hour, times: 1 } }] },
      9e9,
      3 * hour,
    ],
  ])("%s is kept within the policy", (_, plan, asked, granted) => {
    expect(delayed(plan, asked)).toMatchObject({ notBefore: noon + granted });
  });

  test("that is longer than the limit is cut, and the cut is reported with the move", () => {
    const task = seen(abc(), claimed("a"));
    const cut = decide(task, failed("a", 1, { retryAfter: 8e15 }), at(noon));
    expect(cut).toMatchObject({ changes: [{ action: "retry", cappedDelay: 8e15 }] });
    const kept = decide(task, failed("a", 1, { retryAfter: 5_000 }), at(noon));
    expect(kept.applied && kept.changes.map(({ cappedDelay }) => cappedDelay)).toEqual([undefined]);
  });

  test("also bounds a request that was not made, and an undo", () => {
    const untried = seen(
      abc(),
      claimed("a"),
      failed("a", 1, { attempted: false, retryAfter: 1e300 }),
    );
    expect(untried.steps.get("a")).toMatchObject({ requeueCount: 1, notBefore: noon + hour });
    const undoing = seen(
      seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.undo" }),
      claimed("a:undo"),
      failed("a:undo", 1, { retryAfter: 1e300 }),
    );
    expect(undoing.steps.get("a:undo")).toMatchObject({ notBefore: noon + hour });
  });

  test("that an earlier release allowed is shortened by the sweep", () => {
    const task = seen(abc(), claimed("a"), failed("a"));
    const step = task.steps.get("a");
    if (step?.processState !== "pending") throw new Error("not pending");
    for (const notBefore of [noon + hour + 1, Number.POSITIVE_INFINITY]) {
      const steps = new Map(task.steps).set("a", { ...step, notBefore });
      expect(seen({ ...task, steps }, { kind: "replanned" }).steps.get("a")).toMatchObject({
        processState: "pending",
        notBefore: noon,
        failureCount: 1,
      });
    }
    const allowed = {
      ...task,
      steps: new Map(task.steps).set("a", { ...step, notBefore: noon + hour }),
    };
    expect(decide(allowed, { kind: "replanned" }, at(noon))).toEqual({
      applied: false,
      reason: "nothing_to_do",
    });
  });
});

describe("an operator's retry", () => {
  const retry: TaskEvent = { kind: "retryRequested", step: "a" };

  test("ends the delay of a step and counts nothing", () => {
    const task = seen(abc(), claimed("a"), failed("a"));
    const decision = decide(task, retry, at(noon));
    expect(decision).toMatchObject({ changes: [{ action: "retryNow", reason: "operator.retry" }] });
    expect(seen(task, retry).steps.get("a")).toMatchObject({
      processState: "pending",
      notBefore: noon,
      attempt: 1,
      failureCount: 1,
    });
  });

  test("ends the delay of an undo", () => {
    const task = seen(
      seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.undo" }),
      claimed("a:undo"),
      failed("a:undo"),
      { kind: "retryRequested", step: "a:undo" },
    );
    expect(task.steps.get("a:undo")).toMatchObject({ processState: "pending", notBefore: noon });
  });

  test.each([
    ["a step that is not there", [], { kind: "retryRequested", step: "x" }, "unknown_step"],
    ["a step that is due", [], retry, "not_delayed"],
    ["a step in flight", [claimed("a")], retry, "not_pending"],
    ["a step of a paused task", [{ kind: "paused" }], retry, "task_paused"],
  ] as const)("is refused for %s", (_, before, event, reason) => {
    expect(decide(seen(abc(), ...before), event, at(noon))).toEqual({ applied: false, reason });
  });
});

describe("an undo that failed for good", () => {
  const undoing = seen(abc(), ...done("a"), claimed("b"), declined("b"));
  const halted = seen(
    undoing,
    claimed("a:undo"),
    failed("a:undo", 1, { transient: false, code: "y.gone" }),
  );

  test("leaves the task with the code that it is undone for", () => {
    expect(halted).toMatchObject({ processState: "error", faultCode: "x.failed" });
    expect(halted.steps.get("a:undo")).toMatchObject({ faultCode: "y.gone" });
    const parked = seen(undoing, claimed("a:undo"), {
      kind: "parked",
      code: "store.refused",
      ...ref("a:undo"),
    });
    expect(parked).toMatchObject({ processState: "error", faultCode: "x.failed" });
  });

  test("has no counters and no code left once a person has resolved it", () => {
    const resolved = seen(halted, { kind: "resolved", step: "a:undo", attempt: 1 });
    expect(resolved).toMatchObject({ processState: "compensated", faultCode: "x.failed" });
    expect(resolved.steps.get("a:undo")).toMatchObject({
      processState: "processed",
      failureCount: 0,
      faultCode: null,
    });
  });
});

describe("the limit of a task", () => {
  const limitPassed: TaskEvent = { kind: "limitPassed" };

  test("undoes the task once it has passed", () => {
    expect(seen(abc(), ...done("a"), limitPassed)).toMatchObject({
      goal: "undo",
      faultCode: "task.expired",
    });
  });

  test.each([
    ["is paused", [{ kind: "paused" }], "task_paused"],
    ["is being undone", [...done("a"), { kind: "undoRequested", code: "x.y" }], "wrong_goal"],
  ] as const)("means nothing to one that %s", (_, before, reason) => {
    expect(decide(seen(abc(), ...before), limitPassed, at(noon))).toEqual({
      applied: false,
      reason,
    });
  });
});

describe("undoing", () => {
  test("undoes completed steps in reverse order", () => {
    const undoing = seen(abc(), ...done("a"), ...done("b"), claimed("c"), declined("c"));
    expect(undoing).toMatchObject({
      goal: "undo",
      processState: "compensating",
      faultCode: "x.failed",
    });
    expect(states(undoing)).toMatchObject({ c: "error", "b:undo": "pending", "a:undo": "waiting" });
    const half = seen(undoing, ...done("b:undo"));
    expect(states(half)).toMatchObject({ "a:undo": "pending" });
    expect(seen(half, ...done("a:undo")).processState).toBe("compensated");
  });

  test("undoes a step whose outcome is unknown", () => {
    const task = seen(abc(), ...done("a"), claimed("b"), failed("b", 1, { transient: false }));
    expect(states(task)).toMatchObject({ b: "error", "b:undo": "pending", "a:undo": "waiting" });
  });

  test("waits for attempts in flight, and uses their outputs", () => {
    const cancelled = seen(diamond(), ...done("a"), claimed("b"), claimed("c"), declined("c"));
    expect(states(cancelled)).toMatchObject({
      b: "processing",
      "b:undo": "waiting",
      "a:undo": "waiting",
    });
    const drained = seen(cancelled, completed("b"));
    expect(states(drained)).toMatchObject({ b: "processed", "b:undo": "pending", d: "cancelled" });
  });

  test("undoes a step that an Agent stopped, because another Agent may have carried out the same request", () => {
    const cancelled = seen(abc(), ...done("a"), claimed("b"), {
      kind: "undoRequested",
      code: "operator.undo",
    });
    expect(states(cancelled)).toMatchObject({ b: "processing", "b:undo": "waiting" });
    const stopped = seen(cancelled, { kind: "stopped", effect: "none", ...ref("b") });
    expect(states(stopped)).toMatchObject({
      b: "cancelled",
      "b:undo": "pending",
      "a:undo": "waiting",
    });
  });

  test("ends at once if no step was dispatched", () => {
    const task = seen(abc(), { kind: "undoRequested", code: "operator.cancel" });
    expect(task.processState).toBe("compensated");
  });

  test("halts visibly if an undo fails for good, holds back only undos that depend on it, and allows a resubmit", () => {
    const begun = seen(
      diamond(),
      ...done("a"),
      ...done("b"),
      ...done("c"),
      claimed("d"),
      declined("d"),
    );
    const stuck = seen(begun, claimed("b:undo"), declined("b:undo"));
    expect(stuck.processState).toBe("error");
    const other = seen(stuck, ...done("c:undo"));
    expect(states(other)).toMatchObject({
      "b:undo": "error",
      "c:undo": "processed",
      "a:undo": "waiting",
    });
    const again = seen(other, {
      kind: "resubmitted",
      step: "b:undo",
      attempt: 1,
      inputChanged: false,
    });
    expect(again.processState).toBe("compensating");
    expect(seen(again, ...done("b:undo", 2), ...done("a:undo")).processState).toBe("compensated");
  });

  test("retries transient faults without limit", () => {
    let task = seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.undo" });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const claim = decide(task, claimed("a:undo", attempt), at(noon + attempt * 120_000));
      if (!claim.applied) throw new Error(claim.reason);
      const fail = decide(claim.task, failed("a:undo", attempt), at(noon + attempt * 120_000));
      if (!fail.applied) throw new Error(fail.reason);
      task = fail.task;
    }
    expect(task.steps.get("a:undo")).toMatchObject({
      processState: "pending",
      failureCount: 2,
      coolDowns: 9,
    });
  });

  test("refuses to resubmit a failed do once the undo has begun", () => {
    const task = seen(abc(), ...done("a"), claimed("b"), declined("b"));
    const event: TaskEvent = { kind: "resubmitted", step: "b", attempt: 1, inputChanged: false };
    expect(decide(task, event, at(noon))).toEqual({ applied: false, reason: "wrong_goal" });
  });
});

describe("the idempotency key", () => {
  const halting = definitionOf([{ name: "a", onFailure: "halt" }]);
  const keyAfter = (failure: TaskEvent, inputChanged: boolean) => {
    const task = seen(newTask(halting), claimed("a"), failure, {
      kind: "resubmitted",
      step: "a",
      attempt: 1,
      inputChanged,
    });
    const { plan, keyGeneration } = task.steps.get("a")!;
    return idempotencyKey("t", plan, keyGeneration);
  };

  test.each([
    ["an unchanged input", declined("a"), false, "t:a:do"],
    ["a corrected input, and certainly no effect", declined("a"), true, "t:a:do:2"],
    [
      "a corrected input, but perhaps an effect",
      failed("a", 1, { transient: false }),
      true,
      "t:a:do",
    ],
  ])("after a resubmit with %s", (_, failure, inputChanged, key) => {
    expect(keyAfter(failure, inputChanged)).toBe(key);
  });
});

const boom = (): never => {
  throw new Error("boom");
};

test("an event that cannot be decided parks its own step for a person", () => {
  const task = seen(abc(), claimed("a"));
  const values = { input: null, outputs: new Map() };
  const report = [{ event: failed("a") }];
  const { task: parked, outcomes } = foldEvents(task, report, { now: noon, random: boom, values });
  expect(outcomes[0]).toMatchObject({ applied: false, reason: "undecidable" });
  expect(parked).toMatchObject({
    processState: "error",
    goal: "do",
    faultCode: "scheduler.undecidable",
  });
});

test("a condition sees the outputs of replies of the same batch that were accepted", () => {
  const definition = definitionOf([
    { name: "a" },
    { name: "b", onlyIf: { equals: [{ $ref: "/steps/a" }, "yes"] } },
  ]);
  const task = seen(newTask(definition), claimed("a"));
  const reports = [
    { event: { ...completed("a"), token: "forged" } as TaskEvent, output: "no" },
    { event: completed("a"), output: "yes" },
  ];
  const values = { input: null, outputs: new Map() };
  const folded = foldEvents(task, reports, { now: noon, random: () => 0, values });
  expect(states(folded.task)).toEqual({ a: "processed", b: "pending" });
});
