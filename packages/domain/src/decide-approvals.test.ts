import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import { claimed, completed, declined, done, states } from "../test/task-events.ts";
import type { ReportedTaskEvent, VersionedTask } from "./batch.ts";
import { decide } from "./decide.ts";
import { decideBatch } from "./decide-batch.ts";
import type { DecisionContext } from "./decision.ts";
import { operatorRefusalOf } from "./operator-request.ts";
import { sourceOfMove } from "./source.ts";
import { submit } from "./submit.ts";
import type { Task } from "./task.ts";
import type { TaskEvent, WaitEnder } from "./task-event.ts";
import { type ApprovalBody, notificationsOfNew } from "./task-notifications.ts";
import type { ApprovalTerms } from "./workflow-definition.ts";
import { needsSubmitter, needsValues, planWorkflow } from "./workflow-plan.ts";

const hour = 3_600_000;
const day = 24 * hour;
const undo: TaskEvent = { kind: "undoRequested", code: "operator.cancel" };
const paused: TaskEvent = { kind: "paused" };
const ended = (by: WaitEnder, step = "release"): TaskEvent => ({ kind: "waitEnded", step, by });
const [approval, rejection] = [ended("approval"), ended("rejection")];
const [deadline, fire] = [ended("deadline"), ended("operator")];
const unknown = { excludes: [{ $ref: "/input/absent" }] };

/** A call, a step that people decide within a day, and another call. */
const definitionWith = (terms: Partial<ApprovalTerms>) =>
  definitionOf([{ name: "a" }, { name: "release", approval: terms }, { name: "b" }]);
const releasing = (terms: Partial<ApprovalTerms> = {}) => newTask(definitionWith(terms));

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

const awaiting = (terms: Partial<ApprovalTerms> = {}) => after(releasing(terms), ...done("a"));

const reasonOf = (task: Task, event: TaskEvent, now = noon): string | null => {
  const decision = decide(task, event, at(now));
  return decision.applied ? null : decision.reason;
};

/** A task that has halted beside a step that people decide. */
const halted = (terms: Partial<ApprovalTerms> = {}): Task =>
  after(
    newTask(
      definitionOf([
        { name: "a", onFailure: "halt" },
        { name: "release", approval: terms, after: [] },
        { name: "b", after: ["release"] },
      ]),
    ),
    claimed("a"),
    declined("a"),
  );
const resubmitted: TaskEvent = { kind: "resubmitted", step: "a", attempt: 1, inputChanged: false };

const versioned = (task: Task, given: Partial<VersionedTask> = {}): VersionedTask => ({
  task,
  version: 3,
  priority: "normal",
  fairnessKey: null,
  replyTo: null,
  correlationId: "c-1",
  ...given,
});

const batchOf = (
  one: VersionedTask,
  report: Omit<ReportedTaskEvent, "taskId">,
  now: number,
  events = true,
) =>
  decideBatch([one], [{ taskId: one.task.taskId, ...report }], {
    now,
    random: () => 0,
    events,
    valuesOf: () => ({ input: {}, outputs: new Map() }),
    outputFaults: new Map(),
  });

describe("a step that people decide and that is undone at every point of its life", () => {
  const late = at(noon + 30 * day);
  const tomorrow = at(noon + day);
  const halts = { onFailure: "halt" } as const;
  test.each<[string, Task, object]>([
    ["before it begins", after(releasing(), claimed("a"), undo), { release: "cancelled" }],
    ["while it waits", after(awaiting(), undo), { release: "cancelled" }],
    ["while it waits, paused", after(awaiting(), paused, undo), { release: "cancelled" }],
    ["while it waits to fail", after(awaiting(unknown), undo), { release: "cancelled" }],
    ["once it is approved", after(awaiting(), approval, undo), { release: "processed" }],
    [
      "once its deadline approved it",
      after(awaiting({ onDeadline: "approve" }), [deadline, tomorrow], undo),
      { release: "processed" },
    ],
    ["by its rejection", after(awaiting(), rejection), { release: "error" }],
    ["once its rejection halted it", after(awaiting(halts), rejection, undo), { release: "error" }],
    [
      "once its deadline halted it",
      after(awaiting({ ...halts, onDeadline: "fail" }), [deadline, tomorrow], undo),
      { release: "error" },
    ],
    [
      "when a later step fails",
      after(awaiting(), approval, [claimed("b"), late], declined("b")),
      { release: "processed", b: "error" },
    ],
  ])("%s has no undo of its own, and holds up none", (_, task, expected) => {
    expect(task.goal).toBe("undo");
    expect(states(task)).toMatchObject(expected);
    expect(task.steps.has("release:undo")).toBe(false);
    const running = task.paused ? after(task, { kind: "resumed" }) : task;
    const settled = states(task)["a"] === "processing" ? after(running, completed("a")) : running;
    expect(states(settled)["a:undo"]).toBe("pending");
    const [begin, end] = done("a:undo");
    expect(after(settled, [begin!, late], end!).processState).toBe("undone");
  });

  test("takes no decision, no deadline and no operator's word after it", () => {
    const task = after(awaiting({ onDeadline: "approve" }), undo);
    for (const event of [approval, rejection, deadline, fire]) {
      expect(reasonOf(task, event, noon + 2 * day)).toBe("not_awaiting");
    }
  });

  test("ends the task at once if nothing else of it has begun", () => {
    const alone = newTask(definitionOf([{ name: "release", approval: {} }, { name: "b" }]));
    expect(after(alone, undo)).toMatchObject({ goal: "undo", processState: "undone" });
  });
});

describe("a step that people decide", () => {
  test("opens once the steps before it are done, with its deadline from then on", () => {
    expect(states(releasing())).toMatchObject({ release: "waiting" });
    expect(reasonOf(releasing(), approval)).toBe("not_awaiting");
    expect(awaiting().steps.get("release")).toMatchObject({
      processState: "awaiting",
      notBefore: noon + day,
      attempt: 0,
    });
  });

  test("waits for ever where nothing else is said", () => {
    const task = awaiting({ within: null });
    expect(task.steps.get("release")).toMatchObject({ processState: "awaiting", notBefore: null });
    expect(reasonOf(task, deadline, noon + 36_525 * day)).toBe("not_due");
    expect(states(after(task, [approval, at(noon + 36_525 * day)]))).toMatchObject({
      b: "pending",
    });
  });

  test("may take longer than a timer holds", () => {
    const task = awaiting({ within: 36_525 * day });
    expect(task.steps.get("release")).toMatchObject({ notBefore: noon + 36_525 * day });
  });

  test("is done once by what its audience approved, before its deadline and after it", () => {
    // What was approved in time may be seen later.
    for (const now of [noon, noon + 2 * day]) {
      const task = after(awaiting(), [approval, at(now)]);
      expect(states(task)).toMatchObject({ release: "processed", b: "pending" });
      for (const event of [approval, rejection, deadline]) {
        expect(reasonOf(task, event, now + day)).toBe("not_awaiting");
      }
    }
  });

  test("is ended by no signal, and no other wait is ended by people", () => {
    expect(reasonOf(awaiting(), ended("signal"))).toBe("not_awaiting");
    const others = newTask(
      definitionOf([
        { name: "rest", wait: { for: day }, after: [] },
        { name: "paid", signal: {}, after: [] },
      ]),
    );
    for (const step of ["rest", "paid"]) {
      for (const by of ["approval", "rejection"] as const) {
        expect(reasonOf(others, ended(by, step))).toBe("not_awaiting");
      }
    }
  });

  test("under a condition that is false is skipped", () => {
    const onlyIf = { equals: [{ $ref: "/input/wanted" }, "yes"] } as const;
    const task = newTask(definitionOf([{ name: "release", approval: {}, onlyIf }, { name: "b" }]));
    expect(states(task)).toMatchObject({ release: "skipped", b: "pending" });
  });

  test("of a task that is to begin later begins with it, and begins nothing before", () => {
    const plan = planWorkflow(definitionOf([{ name: "release", approval: {} }, { name: "b" }]));
    const { task } = submit("t", plan, at(noon), noon + 3 * day);
    expect(task.steps.get("release")).toMatchObject({ notBefore: noon + 4 * day });
    const early = after(task, [approval, at(noon + day)]);
    expect(early.steps.get("b")).toMatchObject({
      processState: "pending",
      notBefore: noon + 3 * day,
    });
  });

  test("has no payload in its plan, and needs format 4 of its definition", () => {
    const definition = definitionWith({});
    expect(definition.format).toBe(4);
    expect(planWorkflow(definition).steps.get("release")).not.toHaveProperty("show");
  });

  test("needs values exactly where one says who may not decide, and the submitter where excluded", () => {
    const planOf = (terms: Partial<ApprovalTerms>) =>
      planWorkflow(definitionWith(terms)).steps.get("release")!;
    expect(needsValues(planOf({}))).toBe(false);
    expect(needsValues(planOf(unknown))).toBe(true);
    expect(needsSubmitter(definitionWith({}))).toBe(false);
    expect(needsSubmitter(definitionWith({ excludesSubmitter: true }))).toBe(true);
  });
});

describe("a rejection", () => {
  test("undoes the task, and its history says that a person asked for that", () => {
    const decision = decide(awaiting({ quorum: 20 }), rejection, at(noon));
    if (!decision.applied) throw new Error(decision.reason);
    expect(decision.task).toMatchObject({
      goal: "undo",
      processState: "undoing",
      faultCode: "approval.rejected",
    });
    expect(decision.task.steps.get("release")).toMatchObject({
      processState: "error",
      faultCode: "approval.rejected",
    });
    const [lapse] = decision.changes;
    const move = { action: "lapse", reason: "approval.rejected" } as const;
    expect(lapse).toMatchObject(move);
    expect(sourceOfMove({ ...move, fromState: "awaiting", toState: "error" })).toBe("person");
  });

  test("halts the task where the step says so, and nothing but its undo is left then", () => {
    const task = after(awaiting({ onFailure: "halt" }), rejection);
    expect(task).toMatchObject({ goal: "do", processState: "halted" });
    const ref = { step: "release", attempt: 0 };
    expect(reasonOf(task, { kind: "resubmitted", ...ref, inputChanged: true })).toBe("no_attempt");
    expect(reasonOf(task, { kind: "resolved", ...ref })).toBe("needs_decision");
    for (const event of [approval, rejection, deadline, fire]) {
      expect(reasonOf(task, event, noon + 2 * day)).toBe("not_awaiting");
    }
    expect(after(task, undo).goal).toBe("undo");
  });

  test("takes effect only once its task goes on", () => {
    const held = after(awaiting(), paused);
    expect(reasonOf(held, rejection)).toBe("task_paused");
    expect(after(held, { kind: "resumed" }, rejection).goal).toBe("undo");
    expect(reasonOf(halted(), rejection)).toBe("task_halted");
    expect(after(halted(), resubmitted, rejection).goal).toBe("undo");
  });

  test("is kept with who rejected it, and returns nothing", () => {
    const report = { event: rejection, faultDetail: "Bob rejected it: too much" };
    const { applied } = batchOf(versioned(awaiting()), report, noon);
    expect(applied).toMatchObject([{ faultDetail: "Bob rejected it: too much" }]);
    expect(applied[0]).not.toHaveProperty("output");
  });
});

describe("the deadline of a step that people decide", () => {
  test.each([
    ["approve", "do", "processed", null],
    ["reject", "undo", "error", "approval.rejected"],
    ["fail", "undo", "error", "wait.expired"],
  ] as const)("that is to %s does so, and not before", (onDeadline, goal, state, code) => {
    expect(reasonOf(awaiting({ onDeadline }), deadline, noon + day - 1)).toBe("not_due");
    const task = after(awaiting({ onDeadline }), [deadline, at(noon + day)]);
    expect(task).toMatchObject({ goal, faultCode: code });
    expect(task.steps.get("release")).toMatchObject({ processState: state, faultCode: code });
    for (const event of [approval, rejection]) {
      expect(reasonOf(task, event, noon + day)).toBe("not_awaiting");
    }
  });

  test.each(["approve", "reject", "fail"] as const)(
    "that is to %s decides nothing while its task is paused or halted",
    (onDeadline) => {
      const held = after(awaiting({ onDeadline }), paused);
      expect(reasonOf(held, deadline, noon + 2 * day)).toBe("task_paused");
      const stopped = halted({ onDeadline });
      expect(reasonOf(stopped, deadline, noon + 2 * day)).toBe("task_halted");
      const goesOn = after(stopped, [resubmitted, at(noon + 2 * day)], deadline);
      expect(states(goesOn)["release"]).toBe(onDeadline === "approve" ? "processed" : "error");
    },
  );

  test.each(["approve", "reject", "fail"] as const)(
    "that is to %s is moved on by as long as its task was paused",
    (onDeadline) => {
      const held = after(awaiting({ onDeadline }), paused);
      const [one] = batchOf(
        versioned(held, { pausedAt: noon + 2 * hour }),
        { event: { kind: "resumed" } },
        noon + 5 * hour,
      ).changed;
      const resumed = one!.after;
      expect(resumed.steps.get("release")).toMatchObject({ notBefore: noon + day + 3 * hour });
      expect(one!.changes).toMatchObject([{ action: "postpone", reason: "task.paused" }]);
      expect(reasonOf(resumed, deadline, noon + day)).toBe("not_due");
      expect(reasonOf(resumed, deadline, noon + day + 3 * hour)).toBeNull();
    },
  );

  test("that had passed at the pause is not moved on", () => {
    const held = after(awaiting(), paused);
    const [one] = batchOf(
      versioned(held, { pausedAt: noon + 2 * day }),
      { event: { kind: "resumed" } },
      noon + 3 * day,
    ).changed;
    expect(one?.changes).toEqual([]);
    expect(after(one!.after, [deadline, at(noon + 3 * day)]).goal).toBe("undo");
  });

  test("is none before a pause is over that began before the step", () => {
    const held = after(releasing(), claimed("a"), paused, completed("a"));
    expect(states(held)).toMatchObject({ release: "waiting" });
    const resumed = after(held, [{ kind: "resumed", pausedFor: hour }, at(noon + hour)]);
    expect(resumed.steps.get("release")).toMatchObject({ notBefore: noon + hour + day });
  });

  test("is no matter where they approve while the task is paused or halted", () => {
    const held = after(awaiting(), paused, [approval, at(noon + 2 * day)]);
    expect(states(held)).toMatchObject({ release: "processed", b: "waiting" });
    expect(states(after(held, { kind: "resumed" }))).toMatchObject({ b: "pending" });
    expect(states(after(halted(), approval))).toMatchObject({ release: "processed", b: "waiting" });
  });

  test("is looked at first, unless they are reminded before", () => {
    const openedWith = (terms: Partial<ApprovalTerms>) => {
      const claimedFirst = after(releasing(terms), claimed("a"));
      return batchOf(versioned(claimedFirst), { event: completed("a"), output: {} }, noon)
        .firstWaitEnd;
    };
    expect(openedWith({})).toBe(noon + day);
    expect(openedWith({ remindAfter: 4 * hour })).toBe(noon + 4 * hour);
    expect(openedWith({ within: null, remindAfter: 4 * hour })).toBe(noon + 4 * hour);
    expect(openedWith({ within: null })).toBeNull();
  });
});

describe("an operator", () => {
  test("decides nothing in the place of those who are asked, whatever follows their deadline", () => {
    for (const onDeadline of ["approve", "reject", "fail"] as const) {
      expect(reasonOf(awaiting({ onDeadline }), fire)).toBe("needs_decision");
      expect(reasonOf(after(awaiting({ onDeadline }), paused), fire)).toBe("needs_decision");
      expect(reasonOf(halted({ onDeadline }), fire)).toBe("needs_decision");
    }
  });

  test("gets a code of its own for that", () => {
    expect(operatorRefusalOf("needs_decision")).toBe("task.needs_decision");
  });
});

describe("what a step that people decide returns", () => {
  const instant = "2026-01-03T12:00:00.000Z";
  const outputOf = (terms: Partial<ApprovalTerms>, report: Omit<ReportedTaskEvent, "taskId">) =>
    batchOf(versioned(awaiting(terms)), report, noon + 2 * day).applied.map(({ output }) => output);

  test("is what was approved, by whom, and when that ended it", () => {
    const ada = { id: "ada", name: "Ada", at: "2026-01-01T13:00:00.000Z", reason: null };
    const brought = { decision: "approved", by: [ada], form: { account: 7 } };
    expect(outputOf({}, { event: approval, output: brought })).toEqual([
      { fired: "approval", at: instant, ...brought },
    ]);
  });

  test("has the same shape where its deadline approved it", () => {
    expect(outputOf({ onDeadline: "approve" }, { event: deadline })).toEqual([
      { fired: "deadline", at: instant, decision: "approved", by: [], form: null },
    ]);
  });

  test.each(["reject", "fail"] as const)(
    "is nothing where its deadline is to %s, with a detail that names who did not decide",
    (onDeadline) => {
      const one = versioned(awaiting({ onDeadline }));
      const { applied } = batchOf(one, { event: deadline }, noon + day);
      expect(applied).toMatchObject([{ faultDetail: "treasury did not decide in time" }]);
      expect(applied[0]).not.toHaveProperty("output");
    },
  );
});

describe("a step of which nothing says who may not decide it", () => {
  const opened = (terms: Partial<ApprovalTerms> = {}) => awaiting({ ...unknown, ...terms });

  test("is to fail at once, also where its deadline approves, or is none", () => {
    for (const onDeadline of ["approve", "reject", "fail"] as const) {
      for (const within of [day, null]) {
        const task = opened({ onDeadline, within });
        expect(task.steps.get("release")).toMatchObject({
          processState: "awaiting",
          notBefore: noon,
          faultCode: "approval.exclusion_unknown",
        });
        expect(after(task, deadline)).toMatchObject({
          goal: "undo",
          faultCode: "approval.exclusion_unknown",
        });
      }
    }
  });

  test("is not done by an approval: who gave it may be one who may not", () => {
    const task = after(opened(), approval);
    expect(task).toMatchObject({ goal: "undo", faultCode: "approval.exclusion_unknown" });
    expect(reasonOf(after(opened(), paused), approval)).toBe("task_paused");
    const report = { event: approval, output: { decision: "approved", by: [], form: null } };
    const { applied } = batchOf(versioned(opened()), report, noon);
    expect(applied[0]).not.toHaveProperty("output");
  });

  test("fails with a detail that says which value is no id", () => {
    const { applied } = batchOf(versioned(opened()), { event: deadline }, noon);
    expect(applied).toMatchObject([
      { faultDetail: expect.stringContaining("/input/absent is missing, or is no id") },
    ]);
  });

  test("waits for its audience once a value does say so, read when the step begins", () => {
    const excludes = [{ $ref: "/steps/a/by" }];
    const task = after(
      releasing({ excludes }),
      [claimed("a"), at(noon)],
      [completed("a"), at(noon, { "/steps/a/by": "bob" })],
    );
    expect(task.steps.get("release")).toMatchObject({ notBefore: noon + day, faultCode: null });
  });
});

describe("what is published of a step that people decide", () => {
  const bodiesOf = (
    task: Task,
    report: Omit<ReportedTaskEvent, "taskId">,
    { now = noon, events = true } = {},
  ) =>
    batchOf(versioned(task), report, now, events).notifications.flatMap(({ channel, body }) =>
      "audience" in body ? [{ channel, ...body }] : [],
    );
  const published = (given: Partial<ApprovalBody>) => ({
    channel: "event",
    taskId: expect.any(String),
    correlationId: "c-1",
    sequence: 4,
    workflow: "test.v1",
    step: "release",
    audience: "treasury",
    quorum: 2,
    at: "2026-01-01T12:00:00.000Z",
    ...given,
  });
  const two = { quorum: 2 };

  test("is that a decision is wanted, and by when", () => {
    const begun = after(releasing(two), claimed("a"));
    expect(bodiesOf(begun, { event: completed("a"), output: {} })).toEqual([
      published({
        event: "approval.wanted",
        decision: null,
        deadline: "2026-01-02T12:00:00.000Z",
      }),
    ]);
    const endless = after(releasing({ ...two, within: null }), claimed("a"));
    expect(bodiesOf(endless, { event: completed("a"), output: {} })).toMatchObject([
      { event: "approval.wanted", deadline: null },
    ]);
  });

  test("is that it is wanted with the task itself, if that begins with it", () => {
    const task = newTask(definitionOf([{ name: "release", approval: two }]));
    const sent = (events: boolean) =>
      notificationsOfNew(
        task,
        { replyTo: "answers", correlationId: "c-1" },
        { now: noon, events },
      ).filter(({ body }) => "audience" in body);
    expect(sent(true)).toMatchObject([
      { channel: "event", seq: 1, body: { event: "approval.wanted", sequence: 1, quorum: 2 } },
    ]);
    expect(sent(false)).toEqual([]);
  });

  test.each([
    ["approved", {}, approval, noon],
    ["approved", { onDeadline: "approve" }, deadline, noon + day],
    ["rejected", {}, rejection, noon],
    ["rejected", { onDeadline: "reject" }, deadline, noon + day],
    ["expired", { onDeadline: "fail" }, deadline, noon + day],
    [null, unknown, deadline, noon],
  ] as const)("is that it is decided: %s", (decision, terms, event, now) => {
    const at_ = new Date(now).toISOString();
    expect(bodiesOf(awaiting({ ...two, ...terms }), { event }, { now })).toEqual([
      published({ event: "approval.decided", decision, deadline: null, at: at_ }),
    ]);
  });

  test("is nothing if no one asked for events, and nothing of other waits", () => {
    expect(bodiesOf(awaiting(), { event: approval }, { events: false })).toEqual([]);
    const paying = newTask(definitionOf([{ name: "paid", signal: {} }]));
    expect(bodiesOf(paying, { event: ended("signal", "paid"), output: {} })).toEqual([]);
  });

  test("is that it is over, where it is given up with its task", () => {
    expect(bodiesOf(awaiting(two), { event: undo })).toMatchObject([
      { event: "approval.decided", decision: "cancelled", deadline: null },
    ]);
    expect(bodiesOf(releasing(two), { event: undo })).toEqual([]);
  });
});
