import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { claimed, completed, declined, done, states } from "../test/task-events.ts";
import { decide } from "./decide.ts";
import { decideBatch } from "./decide-batch.ts";
import type { DecisionContext } from "./decision.ts";
import { submit } from "./submit.ts";
import { stepsOf, type Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { planWorkflow } from "./workflow-plan.ts";

const day = 86_400_000;
const undo: TaskEvent = { kind: "undoRequested", code: "operator.cancel" };
const deadline = (step: string): TaskEvent => ({ kind: "waitEnded", step, by: "deadline" });
const byOperator = (step: string): TaskEvent => ({ kind: "waitEnded", step, by: "operator" });

/** A call, a wait of fourteen days, and another call. */
const resting = () =>
  newTask(definitionOf([{ name: "a" }, { name: "rest", wait: { for: 14 * day } }, { name: "b" }]));

/**
 * The task once it has seen these events, each at the instant that stands with it, or at that of
 * the one before.
 */
function after(
  task: Task,
  ...events: readonly (TaskEvent | readonly [TaskEvent, DecisionContext])[]
) {
  let latest = at(noon);
  return events.reduce((current, given) => {
    const [event, context] = "kind" in given ? [given, latest] : given;
    latest = context;
    const decision = decide(current, event, context);
    if (!decision.applied) throw new Error(`${event.kind} was rejected: ${decision.reason}`);
    return decision.task;
  }, task);
}

const reasonOf = (task: Task, event: TaskEvent, now = noon): string | null => {
  const decision = decide(task, event, at(now));
  return decision.applied ? null : decision.reason;
};

describe("a wait that is undone at every point of its life", () => {
  const late = at(noon + 30 * day);
  const fired = after(resting(), ...done("a"), [deadline("rest"), at(noon + 14 * day)]);
  test.each<[string, Task, object]>([
    [
      "before it begins",
      after(resting(), claimed("a"), undo),
      { rest: "cancelled", b: "cancelled" },
    ],
    ["while it waits", after(resting(), ...done("a"), undo), { rest: "cancelled", b: "cancelled" }],
    ["after its time", after(fired, undo), { rest: "processed", b: "cancelled" }],
    [
      "when a later step fails",
      after(fired, [claimed("b"), late], declined("b")),
      { rest: "processed", b: "error" },
    ],
  ])("%s has no undo of its own, and holds up none", (_, task, expected) => {
    expect(task.goal).toBe("undo");
    expect(states(task)).toMatchObject({ ...expected, "a:undo": expect.anything() });
    expect(task.steps.has("rest:undo")).toBe(false);
    const settled = states(task)["a"] === "processing" ? after(task, completed("a")) : task;
    expect(states(settled)["a:undo"]).toBe("pending");
    const [begin, end] = done("a:undo");
    expect(after(settled, [begin!, late], end!).processState).toBe("undone");
  });

  test("ends the task at once if nothing else of it has begun", () => {
    const alone = newTask(definitionOf([{ name: "rest", wait: { for: day } }, { name: "b" }]));
    expect(after(alone, undo)).toMatchObject({ goal: "undo", processState: "undone" });
  });

  test("when the limit of its task passes is cancelled, too", () => {
    const task = after(resting(), ...done("a"), { kind: "limitPassed" });
    expect(states(task)).toMatchObject({ rest: "cancelled", "a:undo": "pending" });
  });

  test("takes no deadline and no operator's word after it", () => {
    const task = after(resting(), ...done("a"), undo);
    expect(reasonOf(task, deadline("rest"), noon + 20 * day)).toBe("not_awaiting");
    expect(reasonOf(task, byOperator("rest"))).toBe("not_awaiting");
  });
});

describe("a wait", () => {
  test("begins once the steps before it are done, and makes the task one that has begun", () => {
    expect(states(resting())).toMatchObject({ a: "pending", rest: "waiting" });
    const task = after(resting(), ...done("a"));
    expect(task.steps.get("rest")).toMatchObject({
      processState: "awaiting",
      notBefore: noon + 14 * day,
      attempt: 0,
    });
    const first = newTask(definitionOf([{ name: "rest", wait: { for: day } }, { name: "b" }]));
    expect(first.processState).toBe("processing");
  });

  test("does not end before its time, and ends once", () => {
    const task = after(resting(), ...done("a"));
    expect(reasonOf(task, deadline("rest"), noon + 14 * day - 1)).toBe("not_due");
    const ended = after(task, [deadline("rest"), at(noon + 14 * day)]);
    expect(states(ended)).toMatchObject({ rest: "processed", b: "pending" });
    expect(reasonOf(ended, deadline("rest"), noon + 14 * day)).toBe("not_awaiting");
  });

  test("is ended by an operator before its time", () => {
    const task = after(resting(), ...done("a"), byOperator("rest"));
    expect(states(task)).toMatchObject({ rest: "processed", b: "pending" });
  });

  test("may last longer than a timer holds", () => {
    const long = newTask(definitionOf([{ name: "rest", wait: { for: 36_525 * day } }]));
    expect(long.steps.get("rest")).toMatchObject({ notBefore: noon + 36_525 * day });
  });

  test("keeps its end when the task is planned again", () => {
    const task = after(resting(), ...done("a"));
    expect(reasonOf(task, { kind: "replanned" }, noon + day)).toBe("nothing_to_do");
    const resumed = after(task, { kind: "paused" }, [{ kind: "resumed" }, at(noon + day)]);
    expect(resumed.steps.get("rest")).toBe(task.steps.get("rest"));
  });

  test("under a condition that is false is skipped", () => {
    const onlyIf = { equals: [{ $ref: "/input/wanted" }, "yes"] } as const;
    const task = newTask(
      definitionOf([{ name: "rest", wait: { for: day }, onlyIf }, { name: "b" }]),
    );
    expect(states(task)).toMatchObject({ rest: "skipped", b: "pending" });
  });

  test("of a task that is to begin later begins with it", () => {
    const plan = planWorkflow(definitionOf([{ name: "rest", wait: { for: day } }]));
    const { task } = submit("t", plan, at(noon), noon + 3 * day);
    expect(task.steps.get("rest")).toMatchObject({ notBefore: noon + 4 * day });
  });

  test("has no attempt that could be made again", () => {
    const task = newTask(
      definitionOf([{ name: "rest", wait: { until: null }, onFailure: "halt" }]),
    );
    const halted = after(task, deadline("rest"));
    expect(halted).toMatchObject({ processState: "halted", faultCode: "wait.time_invalid" });
    expect(
      reasonOf(halted, { kind: "resubmitted", step: "rest", attempt: 0, inputChanged: false }),
    ).toBe("no_attempt");
    expect(after(halted, { kind: "resolved", step: "rest", attempt: 0 }).processState).toBe(
      "processed",
    );
  });
});

describe("a wait of a paused task", () => {
  test("stays and may end, and nothing begins by that", () => {
    const paused = after(resting(), ...done("a"), { kind: "paused" });
    expect(states(paused)).toMatchObject({ rest: "awaiting" });
    const ended = after(paused, [deadline("rest"), at(noon + 14 * day)]);
    expect(states(ended)).toMatchObject({ rest: "processed", b: "waiting" });
    expect(states(after(ended, { kind: "resumed" }))).toMatchObject({ b: "pending" });
  });

  test("does not begin before the task is resumed", () => {
    const paused = after(resting(), claimed("a"), { kind: "paused" }, completed("a"));
    expect(states(paused)).toMatchObject({ rest: "waiting" });
    const resumed = after(paused, [{ kind: "resumed" }, at(noon + day)]);
    expect(resumed.steps.get("rest")).toMatchObject({ notBefore: noon + 15 * day });
  });

  test("has the end that a value said when it was reached, without looking at values again", () => {
    const until = new Date(noon + day).toISOString();
    const task = newTask(
      definitionOf([{ name: "a" }, { name: "rest", wait: { until: { $ref: "/input/until" } } }]),
    );
    const paused = after(task, claimed("a"), { kind: "paused" }, [
      completed("a"),
      at(noon, { "/input/until": until }),
    ]);
    const resumed = after(paused, [{ kind: "resumed" }, { ...at(noon), valueOf: null }]);
    expect(resumed.steps.get("rest")).toMatchObject({
      processState: "awaiting",
      notBefore: noon + day,
    });
  });
});

describe("a wait until a value says so", () => {
  const untilOf = (value: unknown, wait: object = {}, onFailure: "undo" | "halt" = "undo") => {
    const definition = definitionOf([
      { name: "rest", wait: { until: { $ref: "/input/until" }, ...wait }, onFailure },
      { name: "b" },
    ]);
    const context = { ...at(noon), valueOf: () => value } as DecisionContext;
    return submit("t", planWorkflow(definition), context).task;
  };

  test.each([
    ["an instant to come", "2026-01-03T12:00:00+01:00", noon + 2 * day - 3_600_000],
    ["one that has passed", "2025-01-01T00:00:00Z", noon],
    ["this very one", "2026-01-01T12:00:00Z", noon],
  ])("ends at %s", (_, value, end) => {
    const task = untilOf(value);
    expect(task.steps.get("rest")).toMatchObject({ processState: "awaiting", notBefore: end });
    expect(states(after(task, [deadline("rest"), at(end)]))).toMatchObject({ rest: "processed" });
  });

  test("lasts no longer than it may", () => {
    const task = untilOf("2030-01-01T00:00:00Z", { atMost: day });
    expect(task.steps.get("rest")).toMatchObject({ notBefore: noon + day });
  });

  test.each([
    ["null", null],
    ["missing", undefined],
    ["no instant", "tomorrow"],
    ["without a zone", "2026-01-03T12:00:00"],
    ["a number", noon],
    ["a day that does not exist", "2026-02-30T12:00:00Z"],
    ["a list", ["2026-01-03T12:00:00Z"]],
  ])("fails for good where it is %s, and undoes the task", (_, value) => {
    const task = untilOf(value);
    expect(task.steps.get("rest")).toMatchObject({ processState: "awaiting", notBefore: noon });
    const failed = after(task, deadline("rest"));
    expect(failed).toMatchObject({ processState: "undone", faultCode: "wait.time_invalid" });
    expect(failed.steps.get("rest")).toMatchObject({ processState: "error" });
  });

  test("halts the task instead where the step says so", () => {
    const halted = after(untilOf(null, {}, "halt"), deadline("rest"));
    expect(halted).toMatchObject({ goal: "do", processState: "halted" });
    expect(stepsOf(halted).map(({ processState }) => processState)).toEqual(["error", "waiting"]);
  });

  test("that is no instant is ended by an operator all the same", () => {
    const task = after(untilOf(null), byOperator("rest"));
    expect(states(task)).toMatchObject({ rest: "processed", b: "pending" });
    expect(task.steps.get("rest")?.faultCode).toBeNull();
  });
});

describe("the notifications of a wait", () => {
  const notified = (task: Task, event: TaskEvent, now: number) => {
    const versioned = {
      task,
      version: 3,
      priority: "normal",
      fairnessKey: null,
      replyTo: "status.shop",
      correlationId: null,
    } as const;
    const batch = decideBatch([versioned], [{ taskId: task.taskId, event }], {
      now,
      random: () => 0,
      events: true,
      valuesOf: () => null,
      outputFaults: new Map(),
    });
    return batch.notifications.map(({ channel, body }) => [channel, "event" in body && body.event]);
  };

  test("tell the submitter, and all who watch, that it has begun and that it has ended", () => {
    const claimedOne = after(resting(), claimed("a"));
    expect(notified(claimedOne, completed("a"), noon)).toEqual([
      ["status", "awaiting"],
      ["event", "awaiting"],
    ]);
    const task = after(claimedOne, completed("a"));
    expect(notified(task, deadline("rest"), noon + 14 * day)).toEqual([
      ["status", "fired"],
      ["event", "fired"],
    ]);
  });
});
