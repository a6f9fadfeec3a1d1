import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import {
  abc,
  claimed,
  completed,
  declined,
  failed,
  ref,
  seen,
  states,
  withStep,
} from "../test/task-events.ts";
import { decide } from "./decide.ts";
import { requeuesUntilAlert } from "./failure.ts";
import type { Step } from "./step.ts";
import type { TaskEvent } from "./task-event.ts";

describe("a mistake of the Agent's with its reply, after work that may be done,", () => {
  const codes = [
    "step.reply_invalid",
    "step.output_invalid",
    "step.output_too_costly",
    "step.output_unstorable",
    "step.contract_broken",
  ];
  const mistake = (code: string, effect: "unknown" | "none" = "unknown") =>
    failed("a", 1, { code, transient: false, effect });

  test.each(codes)("%s halts the task and undoes nothing, and counts no failure", (code) => {
    const task = seen(abc(), claimed("a"), mistake(code));
    expect(task).toMatchObject({ goal: "do", processState: "halted", faultCode: code });
    const step = { processState: "error", failureCount: 0, mayHaveEffect: true };
    expect(task.steps.get("a")).toMatchObject(step);
  });

  test("is undone where the step has a policy for it, or the Agent says that nothing was done", () => {
    const [code = ""] = codes;
    const once = { failures: 1, backoff: 1, max: 1 };
    const policy = { code, retry: once, coolDown: null, onFailure: "undo" } as const;
    const step = { name: "a", faults: [policy] };
    expect(seen(newTask(definitionOf([step])), claimed("a"), mistake(code)).goal).toBe("undo");
    expect(seen(abc(), claimed("a"), mistake("step.contract_broken", "none")).goal).toBe("undo");
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

  test("counts no failure if the remote service says when to come back, however often", () => {
    let task = abc();
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      const claim = decide(task, claimed("a", attempt), at(noon + attempt * 60_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, failed("a", attempt, { retryAfter: 9_000, paces: true }));
    }
    expect(task.steps.get("a")).toMatchObject({ failureCount: 0, requeueCount: 50 });
  });

  test("counts it if the step has a policy for that very fault, or if it is for good", () => {
    const faults = [{ code: "x.failed", retry: { failures: 2, backoff: 1, max: 1 } }];
    const paced = { retryAfter: 9_000, paces: true } as const;
    const named = newTask(definitionOf([{ name: "a", faults }]));
    expect(seen(named, claimed("a"), failed("a", 1, paced)).steps.get("a")).toMatchObject({
      failureCount: 1,
    });
    const refused = seen(abc(), claimed("a"), failed("a", 1, { ...paced, transient: false }));
    expect(refused.steps.get("a")).toMatchObject({ processState: "error" });
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
      steps: new Map(task.steps).set("a", { ...a, confirmed: true } as typeof a),
    };
    const silent = decide(sent, { kind: "expired", ...ref("a") }, late);
    expect(lost).toMatchObject({ applied: true, changes: [{ action: "requeue" }] });
    expect(silent).toMatchObject({ applied: true, changes: [{ action: "retry" }] });
  });

  test.each([
    ["the broker delivered to no one before", { redelivered: false }, {}, false],
    ["of which its Agent does not say whether it was delivered before", {}, {}, true],
    ["the broker delivered before", { redelivered: true }, {}, true],
    ["was resent", { redelivered: false }, { resent: true }, true],
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
    ["that it declined, resent", { redelivered: false }, { resent: true }, true],
  ])("an attempt %s: undone?", (_, reply, step, isUndone) => {
    const task = withStep(seen(abc(), claimed("a")), "a", step);
    const declines = { transient: false, effect: "none", ...reply } as const;
    expect(seen(task, failed("a", 1, declines)).steps.has("a:undo")).toBe(isUndone);
  });

  test.each([
    ["of a resent request", abc(), { resent: true }],
    ["of a call that is to be undone", abc(), {}],
  ])("concludes nothing before complete-by from a returned copy %s", (_, task, step) => {
    const begun = withStep(seen(task, claimed("a")), "a", step);
    const resent = "resent" in step;
    const asked = resent ? begun : seen(begun, { kind: "undoRequested", code: "x.y" });
    const back: TaskEvent = { kind: "neverStarted", ...ref("a") };
    expect(decide(asked, back, at(noon))).toEqual({ applied: false, reason: "may_be_running" });
    const { completeBy } = asked.steps.get("a") as { completeBy: number } & Step;
    const action = resent ? "requeue" : "cancel";
    const overdue = decide(asked, back, at(completeBy));
    expect(overdue.applied && overdue.changes[0]?.action).toBe(action);
  });

  test("counts no failure for silence about a resent request, because perhaps no Agent received it", () => {
    const task = withStep(seen(abc(), claimed("a")), "a", { resent: true, confirmed: true });
    const silent = decide(task, { kind: "expired", ...ref("a") }, at(noon + 60_000));
    expect(silent).toMatchObject({
      changes: [{ action: "requeue", step: { failureCount: 0, mayHaveEffect: true } }],
    });
  });

  test("counts no failure for silence while no reply could have arrived", () => {
    const task = seen(abc(), claimed("a"));
    const a = { ...task.steps.get("a")!, confirmed: true } as Step;
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
    if (code === "y.odd") expect(decision).toMatchObject({ task: { processState: "halted" } });
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

  test("counts no failure of a step that is requeued, however often", () => {
    let task = abc();
    for (let attempt = 1; attempt <= 100; attempt += 1) {
      const claim = decide(task, claimed("a", attempt), at(noon + attempt * 60_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, { kind: "neverStarted", ...ref("a", attempt) });
    }
    expect(task.steps.get("a")).toMatchObject({ failureCount: 0, requeueCount: 100 });
    expect(task.goal).toBe("do");
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
    expect(halted).toMatchObject({ processState: "halted", goal: "do", faultCode: "x.failed" });
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

describe("a request that an instance cannot read", () => {
  /**
   * Gives so many attempts in a row the same answer, from instances of which some or none may read
   * the request.
   */
  function givenBack(times: number, unreadable: "here" | "everywhere", task = abc()) {
    let current = task;
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const claim = decide(current, claimed("a", attempt), at(noon + attempt * 60_000));
      if (!claim.applied) throw new Error(claim.reason);
      const refused = { unreadable, transient: false, effect: "none", redelivered: false } as const;
      current = seen(claim.task, failed("a", attempt, { ...refused, attempted: false }));
    }
    return current;
  }

  test("goes to another instance without a failure, however often, while one may read it", () => {
    const task = givenBack(100, "here");
    expect(task).toMatchObject({ processState: "processing", goal: "do" });
    expect(task.steps.get("a")).toMatchObject({
      processState: "pending",
      failureCount: 0,
      requeueCount: 100,
      mayHaveEffect: false,
    });
  });

  test("halts its task once none is known to read it, and is neither counted nor undone", () => {
    expect(givenBack(requeuesUntilAlert - 1, "everywhere").processState).toBe("processing");
    const task = givenBack(requeuesUntilAlert, "everywhere");
    expect(task).toMatchObject({ processState: "halted", goal: "do" });
    expect(task.steps.get("a")).toMatchObject({
      processState: "error",
      failureCount: 0,
      mayHaveEffect: false,
    });
  });

  test("leaves the step to an undo that has begun meanwhile", () => {
    const attempts = givenBack(requeuesUntilAlert - 1, "everywhere");
    const claim = decide(attempts, claimed("a", 20), at(noon + 30 * 60_000));
    if (!claim.applied) throw new Error(claim.reason);
    const undone = seen(
      claim.task,
      { kind: "undoRequested", code: "operator.cancel" },
      failed("a", 20, { unreadable: "everywhere", attempted: false, effect: "none" }),
    );
    expect(undone.steps.get("a")?.processState).toBe("cancelled");
  });
});
