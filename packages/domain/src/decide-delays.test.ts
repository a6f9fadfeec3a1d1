import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { abc, claimed, done, failed, seen } from "../test/task-events.ts";
import { decide } from "./decide.ts";
import type { TaskEvent } from "./task-event.ts";

/** A step whose Agent asked for this delay. */
const delayed = (plan: object, retryAfter: number) =>
  seen(
    newTask(definitionOf([{ name: "a", ...plan }])),
    claimed("a"),
    failed("a", 1, { retryAfter }),
  ).steps.get("a");

describe("a step that is sent again and again without a failure", () => {
  const again = (plan: object, times: number) => {
    let task = newTask(definitionOf([{ name: "a", ...plan }]));
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const claim = decide(task, claimed("a", attempt), at(noon + attempt * 100_000));
      if (!claim.applied) throw new Error(claim.reason);
      task = seen(claim.task, failed("a", attempt, { attempted: false, effect: "none" }));
    }
    return task;
  };

  test("halts its task once the step allows no more of it, and neither counts nor undoes anything", () => {
    expect(again({ maxRequeues: 3 }, 3).processState).toBe("processing");
    const task = again({ maxRequeues: 3 }, 4);
    const code = "step.waited_too_long";
    expect(task).toMatchObject({ goal: "do", processState: "halted", faultCode: code });
    expect(task.steps.get("a")).toMatchObject({ failureCount: 0, faultCode: code });
  });

  test("waits without end where the step says nothing", () => {
    expect(again({}, 50).processState).toBe("processing");
  });
});

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
      seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.cancel" }),
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
      seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.cancel" }),
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
