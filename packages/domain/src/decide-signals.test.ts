import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { claimed, completed, declined, done, states } from "../test/task-events.ts";
import type { ReportedTaskEvent, VersionedTask } from "./batch.ts";
import { decide } from "./decide.ts";
import { decideBatch } from "./decide-batch.ts";
import type { DecisionContext } from "./decision.ts";
import { sourceOfMove } from "./source.ts";
import { submit } from "./submit.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import type { SignalTerms } from "./workflow-definition.ts";
import { planWorkflow } from "./workflow-plan.ts";

const day = 86_400_000;
const undo: TaskEvent = { kind: "undoRequested", code: "operator.cancel" };
const ended = (step: string, by: "deadline" | "signal" | "operator"): TaskEvent => ({
  kind: "waitEnded",
  step,
  by,
});
const signal = ended("paid", "signal");
const deadline = ended("paid", "deadline");
const fire = ended("paid", "operator");

/** A call, a step that waits a day for a signal, and another call. */
const paying = (terms: Partial<SignalTerms> = {}) =>
  newTask(definitionOf([{ name: "a" }, { name: "paid", signal: terms }, { name: "b" }]));

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

const awaiting = (terms: Partial<SignalTerms> = {}) => after(paying(terms), ...done("a"));

const reasonOf = (task: Task, event: TaskEvent, now = noon): string | null => {
  const decision = decide(task, event, at(now));
  return decision.applied ? null : decision.reason;
};

const versioned = (task: Task, given: Partial<VersionedTask> = {}): VersionedTask => ({
  task,
  version: 3,
  priority: "normal",
  fairnessKey: null,
  replyTo: null,
  correlationId: null,
  ...given,
});

const batchOf = (one: VersionedTask, report: Omit<ReportedTaskEvent, "taskId">, now: number) =>
  decideBatch([one], [{ taskId: one.task.taskId, ...report }], {
    now,
    random: () => 0,
    events: false,
    valuesOf: () => null,
    outputFaults: new Map(),
  });

describe("a step that waits for a signal and is undone at every point of its life", () => {
  const late = at(noon + 30 * day);
  const lapsed = after(awaiting({ onFailure: "halt" }), [deadline, at(noon + day)]);
  const passed = after(awaiting({ onDeadline: "continue" }), [deadline, at(noon + day)]);
  test.each<[string, Task, object]>([
    [
      "before it begins",
      after(paying(), claimed("a"), undo),
      { paid: "cancelled", b: "cancelled" },
    ],
    ["while it waits", after(awaiting(), undo), { paid: "cancelled", b: "cancelled" }],
    ["after its signal", after(awaiting(), signal, undo), { paid: "processed", b: "cancelled" }],
    ["after its deadline", after(passed, undo), { paid: "processed", b: "cancelled" }],
    ["once it has lapsed", after(lapsed, undo), { paid: "error", b: "cancelled" }],
    [
      "when a later step fails",
      after(awaiting(), signal, [claimed("b"), late], declined("b")),
      { paid: "processed", b: "error" },
    ],
  ])("%s has no undo of its own, and holds up none", (_, task, expected) => {
    expect(task.goal).toBe("undo");
    expect(states(task)).toMatchObject(expected);
    expect(task.steps.has("paid:undo")).toBe(false);
    const settled = states(task)["a"] === "processing" ? after(task, completed("a")) : task;
    expect(states(settled)["a:undo"]).toBe("pending");
    const [begin, end] = done("a:undo");
    expect(after(settled, [begin!, late], end!).processState).toBe("undone");
  });

  test("takes no signal, no deadline and no operator's word after it", () => {
    const task = after(awaiting({ onDeadline: "continue" }), undo);
    for (const event of [signal, deadline, fire]) {
      expect(reasonOf(task, event, noon + 2 * day)).toBe("not_awaiting");
    }
  });

  test("ends the task at once if nothing else of it has begun", () => {
    const alone = newTask(definitionOf([{ name: "paid", signal: {} }, { name: "b" }]));
    expect(after(alone, undo)).toMatchObject({ goal: "undo", processState: "undone" });
  });
});

describe("a step that waits for a signal", () => {
  test("opens once the steps before it are done, with its deadline from then on", () => {
    expect(states(paying())).toMatchObject({ paid: "waiting" });
    expect(awaiting().steps.get("paid")).toMatchObject({
      processState: "awaiting",
      notBefore: noon + day,
      attempt: 0,
    });
  });

  test("is done once by its signal, before its deadline and after it", () => {
    for (const now of [noon, noon + 2 * day]) {
      const task = after(awaiting(), [signal, at(now)]);
      expect(states(task)).toMatchObject({ paid: "processed", b: "pending" });
      expect(reasonOf(task, signal, now)).toBe("not_awaiting");
    }
  });

  test("does not take a signal before the steps before it are done", () => {
    expect(reasonOf(paying(), signal)).toBe("not_awaiting");
  });

  test("waits for ever where nothing else is said", () => {
    const task = awaiting({ within: null });
    expect(task.steps.get("paid")).toMatchObject({ processState: "awaiting", notBefore: null });
    expect(reasonOf(task, deadline, noon + 36_525 * day)).toBe("not_due");
    expect(states(after(task, [signal, at(noon + 36_525 * day)]))).toMatchObject({ b: "pending" });
  });

  test("may wait for longer than a timer holds", () => {
    const task = awaiting({ within: 36_525 * day });
    expect(task.steps.get("paid")).toMatchObject({ notBefore: noon + 36_525 * day });
  });

  test("of a paused or halted task takes its signal, and nothing begins by that", () => {
    const paused = after(awaiting(), { kind: "paused" }, signal);
    expect(states(paused)).toMatchObject({ paid: "processed", b: "waiting" });
    expect(states(after(paused, { kind: "resumed" }))).toMatchObject({ b: "pending" });
    expect(states(after(halted(), signal))).toMatchObject({ paid: "processed", b: "waiting" });
  });

  test("of a task that is to begin later begins with it, and begins nothing before", () => {
    const plan = planWorkflow(definitionOf([{ name: "paid", signal: {} }, { name: "b" }]));
    const { task } = submit("t", plan, at(noon), noon + 3 * day);
    expect(task.steps.get("paid")).toMatchObject({ notBefore: noon + 4 * day });
    const early = after(task, [signal, at(noon + day)]);
    expect(early.steps.get("b")).toMatchObject({
      processState: "pending",
      notBefore: noon + 3 * day,
    });
  });

  test("is no timer, which no signal ends", () => {
    const resting = newTask(definitionOf([{ name: "rest", wait: { for: day } }]));
    expect(reasonOf(resting, ended("rest", "signal"))).toBe("not_awaiting");
  });

  test("under a condition that is false is skipped", () => {
    const onlyIf = { equals: [{ $ref: "/input/wanted" }, "yes"] } as const;
    const task = newTask(definitionOf([{ name: "paid", signal: {}, onlyIf }, { name: "b" }]));
    expect(states(task)).toMatchObject({ paid: "skipped", b: "pending" });
  });
});

/** A task that has halted beside a step that waits for a signal. */
const halted = (terms: Partial<SignalTerms> = {}): Task =>
  after(
    newTask(
      definitionOf([
        { name: "a", onFailure: "halt" },
        { name: "paid", signal: terms, after: [] },
        { name: "b", after: ["paid"] },
      ]),
    ),
    claimed("a"),
    declined("a"),
  );

describe("what a step that waits for a signal returns", () => {
  const outputOf = (terms: Partial<SignalTerms>, event: TaskEvent, output?: { id: string }) =>
    batchOf(
      versioned(awaiting(terms)),
      { event, ...(output === undefined ? {} : { output }) },
      noon + 2 * day,
    ).applied.map((one) => one.output);

  const instant = "2026-01-03T12:00:00.000Z";

  test("is what the signal carried, and when it was taken", () => {
    expect(outputOf({}, signal, { id: "p-1" })).toEqual([
      { fired: "signal", at: instant, payload: { id: "p-1" } },
    ]);
  });

  test("has no payload if its deadline or an operator ended it", () => {
    const terms = { onDeadline: "continue" } as const;
    expect(outputOf(terms, deadline)).toEqual([{ fired: "deadline", at: instant, payload: null }]);
    expect(outputOf(terms, fire)).toEqual([{ fired: "operator", at: instant, payload: null }]);
  });

  test("is nothing where no signal came in time, with a detail that names the signal", () => {
    const report = { event: deadline };
    const { applied } = batchOf(versioned(awaiting({ signal: "money" })), report, noon + day);
    expect(applied).toMatchObject([{ faultDetail: "no signal money came in time" }]);
    expect(applied[0]).not.toHaveProperty("output");
  });
});

describe("an operator", () => {
  test("ends a wait after which the task goes on without a signal", () => {
    const task = after(awaiting({ onDeadline: "continue" }), fire);
    expect(states(task)).toMatchObject({ paid: "processed", b: "pending" });
  });

  test("cannot have a step go on whose payload later steps need", () => {
    expect(reasonOf(awaiting(), fire)).toBe("needs_signal");
    expect(reasonOf(awaiting({ within: null }), fire)).toBe("needs_signal");
  });
});

describe("a deadline whose passing is a failure", () => {
  test("undoes the task, and its history says that the definition asked for that", () => {
    expect(reasonOf(awaiting(), deadline, noon + day - 1)).toBe("not_due");
    const decision = decide(awaiting(), deadline, at(noon + day));
    if (!decision.applied) throw new Error(decision.reason);
    expect(decision.task).toMatchObject({
      goal: "undo",
      processState: "undoing",
      faultCode: "wait.expired",
    });
    expect(decision.task.steps.get("paid")).toMatchObject({
      processState: "error",
      faultCode: "wait.expired",
    });
    const [lapse] = decision.changes;
    expect(lapse).toMatchObject({ action: "lapse", reason: "wait.expired" });
    expect(
      sourceOfMove({
        action: "lapse",
        fromState: "awaiting",
        toState: "error",
        reason: "wait.expired",
      }),
    ).toBe("definition");
  });

  test("halts the task where the step says so, and an operator can resolve the step", () => {
    const task = after(awaiting({ onFailure: "halt" }), [deadline, at(noon + day)]);
    expect(task).toMatchObject({ goal: "do", processState: "halted", faultCode: "wait.expired" });
    const again = { kind: "resubmitted", step: "paid", attempt: 0, inputChanged: false } as const;
    expect(reasonOf(task, again)).toBe("no_attempt");
    const resolved = after(task, { kind: "resolved", step: "paid", attempt: 0 });
    expect(states(resolved)).toMatchObject({ paid: "processed", b: "pending" });
  });

  test("does not fail the step while its task is paused or halted", () => {
    expect(reasonOf(after(awaiting(), { kind: "paused" }), deadline, noon + 2 * day)).toBe(
      "task_paused",
    );
    expect(reasonOf(halted(), deadline, noon + 2 * day)).toBe("task_halted");
    const resumed = after(halted(), {
      kind: "resubmitted",
      step: "a",
      attempt: 1,
      inputChanged: false,
    });
    expect(after(resumed, [deadline, at(noon + 2 * day)]).goal).toBe("undo");
  });

  test("that the task goes on after passes while it is paused or halted", () => {
    const terms = { onDeadline: "continue" } as const;
    const paused = after(awaiting(terms), { kind: "paused" }, [deadline, at(noon + day)]);
    expect(states(paused)).toMatchObject({ paid: "processed", b: "waiting" });
    const stopped = after(halted(terms), [deadline, at(noon + day)]);
    expect(states(stopped)).toMatchObject({ paid: "processed", b: "waiting" });
  });
});

describe("a pause", () => {
  const hour = 3_600_000;
  const resumedAfter = (terms: Partial<SignalTerms>, pausedAt: number | null) =>
    batchOf(
      versioned(after(awaiting(terms), { kind: "paused" }), { pausedAt }),
      { event: { kind: "resumed" } },
      noon + 5 * hour,
    );

  test("moves on a deadline whose passing is a failure, by as long as it was", () => {
    const [one] = resumedAfter({}, noon + 2 * hour).changed;
    expect(one?.after.steps.get("paid")).toMatchObject({ notBefore: noon + day + 3 * hour });
    expect(one?.changes).toMatchObject([{ action: "postpone", reason: "task.paused" }]);
    expect(reasonOf(one!.after, deadline, noon + day + 3 * hour - 1)).toBe("not_due");
  });

  test.each<[string, Partial<SignalTerms>, number | null]>([
    ["after which the task goes on", { onDeadline: "continue" }, noon + 2 * hour],
    ["that never comes", { within: null }, noon + 2 * hour],
    ["that had passed when it began", { within: hour }, noon + 2 * hour],
  ])("leaves a deadline %s where it is", (_, terms, pausedAt) => {
    const [one] = resumedAfter(terms, pausedAt).changed;
    expect(one?.after.steps.get("paid")).toEqual(awaiting(terms).steps.get("paid"));
    expect(one?.changes).toEqual([]);
  });

  test("of unknown length moves nothing, and one that lies ahead by the clock neither", () => {
    for (const pausedAt of [null, noon + 9 * hour]) {
      const [one] = resumedAfter({}, pausedAt).changed;
      expect(one?.after.steps.get("paid")).toMatchObject({ notBefore: noon + day });
    }
  });

  test("does not open what waits for a signal before it is over", () => {
    const paused = after(paying(), claimed("a"), { kind: "paused" }, completed("a"));
    expect(states(paused)).toMatchObject({ paid: "waiting" });
    const resumed = after(paused, [{ kind: "resumed", pausedFor: hour }, at(noon + hour)]);
    expect(resumed.steps.get("paid")).toMatchObject({ notBefore: noon + hour + day });
  });
});
