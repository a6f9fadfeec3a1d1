import { describe, expect, test } from "@jest/globals";
import { at, definitionOf, newTask, noon } from "../test/fixtures.ts";
import {
  abc,
  claimed,
  completed,
  diamond,
  done,
  failed,
  ref,
  seen,
  states,
} from "../test/task-events.ts";
import { decide } from "./decide.ts";
import { foldEvents } from "./decide-batch.ts";
import type { TaskEvent } from "./task-event.ts";

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
    ["a step that no Scheduler claimed", { kind: "completed", ...ref("b") }, "not_processing"],
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
    processState: "halted",
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

describe("a step for which no request can be made", () => {
  const parked = (step: string): TaskEvent => ({
    kind: "parked",
    code: "step.input_unresolvable",
    unsent: true,
    ...ref(step),
  });

  test("halts its task, whatever its policy; counts no failure, and has had no effect", () => {
    const halted = seen(abc(), ...done("a"), claimed("b"), parked("b"));
    expect(halted).toMatchObject({
      goal: "do",
      processState: "halted",
      faultCode: "step.input_unresolvable",
    });
    expect(halted.steps.get("b")).toMatchObject({
      processState: "error",
      failureCount: 0,
      mayHaveEffect: false,
    });
  });

  test("is not undone where its task is undone meanwhile", () => {
    const undoing = seen(abc(), ...done("a"), claimed("b"), { kind: "undoRequested", code: "x.y" });
    expect(states(seen(undoing, parked("b")))).toMatchObject({
      b: "error",
      "b:undo": "skipped",
      "a:undo": "pending",
    });
  });
});
