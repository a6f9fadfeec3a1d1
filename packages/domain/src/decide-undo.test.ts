import { describe, expect, test } from "@jest/globals";
import { at, noon } from "../test/fixtures.ts";
import {
  abc,
  claimed,
  completed,
  declined,
  diamond,
  done,
  failed,
  ref,
  seen,
  states,
} from "../test/task-events.ts";
import { decide } from "./decide.ts";
import type { TaskEvent } from "./task-event.ts";

describe("an undo that failed for good", () => {
  const undoing = seen(abc(), ...done("a"), claimed("b"), declined("b"));
  const halted = seen(
    undoing,
    claimed("a:undo"),
    failed("a:undo", 1, { transient: false, code: "y.gone" }),
  );

  test("leaves the task with the code that it is undone for", () => {
    expect(halted).toMatchObject({ processState: "halted", faultCode: "x.failed" });
    expect(halted.steps.get("a:undo")).toMatchObject({ faultCode: "y.gone" });
    const parked = seen(undoing, claimed("a:undo"), {
      kind: "parked",
      code: "store.refused",
      ...ref("a:undo"),
    });
    expect(parked).toMatchObject({ processState: "halted", faultCode: "x.failed" });
  });

  test("has no counters and no code left once a person has resolved it", () => {
    const resolved = seen(halted, { kind: "resolved", step: "a:undo", attempt: 1 });
    expect(resolved).toMatchObject({ processState: "undone", faultCode: "x.failed" });
    expect(resolved.steps.get("a:undo")).toMatchObject({
      processState: "processed",
      failureCount: 0,
      faultCode: null,
    });
  });
});

describe("undoing", () => {
  test("undoes completed steps in reverse order", () => {
    const undoing = seen(abc(), ...done("a"), ...done("b"), claimed("c"), declined("c"));
    expect(undoing).toMatchObject({
      goal: "undo",
      processState: "undoing",
      faultCode: "x.failed",
    });
    expect(states(undoing)).toMatchObject({ c: "error", "b:undo": "pending", "a:undo": "waiting" });
    const half = seen(undoing, ...done("b:undo"));
    expect(states(half)).toMatchObject({ "a:undo": "pending" });
    expect(seen(half, ...done("a:undo")).processState).toBe("undone");
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
      code: "operator.cancel",
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
    expect(task.processState).toBe("undone");
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
    expect(stuck.processState).toBe("halted");
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
    expect(again.processState).toBe("undoing");
    expect(seen(again, ...done("b:undo", 2), ...done("a:undo")).processState).toBe("undone");
  });

  test("retries transient faults without limit", () => {
    let task = seen(abc(), ...done("a"), { kind: "undoRequested", code: "operator.cancel" });
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
