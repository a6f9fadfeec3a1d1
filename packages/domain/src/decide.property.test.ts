import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { at, newTask, noon } from "../test/fixtures.ts";
import {
  anyHappening,
  anySoundWorkflow,
  anyWorkflow,
  eventFor,
  type Happening,
} from "../test/random-events.ts";
import { decide } from "./decide.ts";
import type { Decision } from "./decision.ts";
import { longestDelay } from "./failure.ts";
import { summarise } from "./settle.ts";
import { sourceOfMove } from "./source.ts";
import { type AwaitingStep, isBegun, isDone, isSettled, type Step } from "./step.ts";
import { asksAgent, audienceOf, faultAtEnd, signalOf } from "./step-kinds.ts";
import { legalStepTransitions } from "./step-transitions.ts";
import { isFinished, legalTaskTransitions, stepsOf, type Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoNameOf } from "./workflow-plan.ts";

const times = { "/input/until": new Date(noon + 600_000).toISOString() };
const values = { "/input/wanted": "yes", ...times };
const legalStep = new Set(legalStepTransitions.map((pair) => pair.join()));

function mustBeLegal(before: Task, after: Task): void {
  for (const [name, step] of after.steps) {
    const old = before.steps.get(name);
    if (!old || old === step) continue;
    expect(step.attempt - old.attempt).toBeGreaterThanOrEqual(0);
    const most = asksAgent(step.plan) ? step.plan.retry.failures : 0;
    expect(step.failureCount).toBeLessThanOrEqual(most);
    if (old.mayHaveEffect) expect(step.mayHaveEffect).toBe(true);
  }
  if (before.goal === "undo") expect(after.goal).toBe("undo");
  if (before.processState !== after.processState) {
    expect(legalTaskTransitions[before.processState]).toContain(after.processState);
  }
  expect(after.processState).toBe(summarise(after.goal, after.steps.values()));
}

/** Someone must be about to do something, or a person has been asked. */
function mustHaveSomethingToWaitFor(task: Task): void {
  if (isFinished(task) || task.paused) return;
  const states = stepsOf(task).map(({ processState }) => processState);
  const isMoving = states.some((state) => ["pending", "processing", "awaiting"].includes(state));
  expect(isMoving || task.processState === "halted").toBe(true);
}

/** Expects that each pending step rests within its policy, whatever an Agent asks for. */
function mustRestWithinItsPolicy(task: Task, now: number): void {
  for (const step of stepsOf(task)) {
    if (step.processState !== "pending") continue;
    expect(step.notBefore).toBeLessThanOrEqual(now + longestDelay(step.plan));
  }
}

/** Expects that only a resume ends a pause, and that the limit of a paused task stands still. */
function mustHoldPause(before: Task, event: TaskEvent, after: Task): void {
  if (!before.paused) return;
  if (event.kind !== "resumed") expect(after.paused).toBe(true);
  expect(event.kind).not.toBe("limitPassed");
}

/** Each entry of the history that counts a failure or begins an undo names who said so. */
function mustNameItsSource(before: Task, { task, changes }: Decision & { applied: true }): void {
  const named = new Set<string>();
  for (const { action, from, step, reason } of changes) {
    const move = { action, fromState: from, toState: step.processState, reason };
    const source = sourceOfMove(move);
    if (source !== null) named.add(step.plan.name);
    if (action === "requeue") expect(source).toBeNull();
  }
  for (const { plan, failureCount } of stepsOf(task)) {
    const counted = before.steps.get(plan.name)?.failureCount ?? 0;
    if (failureCount > counted) expect(named).toContain(plan.name);
  }
  if (before.goal === task.goal) return;
  const summary = { action: "summarise", fromState: before.processState };
  const undone = { ...summary, toState: task.processState, reason: task.faultCode };
  expect(sourceOfMove(undone)).not.toBeNull();
}

/** Whether the time of a step stands still while its task is paused or halted. */
const standsStill = (step: AwaitingStep): boolean =>
  faultAtEnd(step) !== null || audienceOf(step.plan) !== null;

/**
 * A deadline that lies ahead, and whose passing is a failure or decides in the place of people, is
 * moved on by the length of a pause, and by that alone.
 */
function mustKeepItsEnd(
  old: AwaitingStep,
  event: TaskEvent,
  { step, now }: { readonly step: AwaitingStep; readonly now: number },
): void {
  const { pausedFor = 0 } = event.kind === "resumed" ? event : {};
  const isAhead = old.notBefore !== null && old.notBefore > now - pausedFor;
  const isMoved = isAhead && standsStill(old);
  if (!isMoved || event.kind !== "resumed") return expect(step).toBe(old);
  expect(step).toEqual({ ...old, notBefore: old.notBefore + pausedFor });
}

interface Ended {
  readonly old: AwaitingStep;
  readonly step: Step;
  readonly now: number;
}

/** What ends a wait is what it waits for. */
function mustEndAsPlanned(before: Task, event: TaskEvent, { old, step, now }: Ended): void {
  if (event.kind !== "waitEnded") throw new Error(`${event.kind} ends a wait`);
  const { by } = event;
  if (by === "signal") expect(signalOf(old.plan)).not.toBeNull();
  if (by === "operator" && signalOf(old.plan) !== null) expect(faultAtEnd(old)).toBeNull();
  if (audienceOf(old.plan) !== null) {
    expect(["approval", "rejection", "deadline"]).toContain(by);
    // Of a step of which it is not known who may not decide it, no decision counts.
    const isApproved = by === "approval" && old.faultCode === null;
    if (by !== "deadline") expect(step.processState).toBe(isApproved ? "processed" : "error");
  } else {
    expect(["signal", "operator", "deadline"]).toContain(by);
  }
  if (by === "deadline") {
    expect(now).toBeGreaterThanOrEqual(old.notBefore ?? Number.POSITIVE_INFINITY);
  }
  if (step.processState === "processed" && !(by === "deadline" && standsStill(old))) return;
  expect(before).toMatchObject({ paused: false });
  expect(before.processState).not.toBe("halted");
}

/**
 * A wait begins once, is never before its end, and none is left of a task that is undone.
 */
function mustWaitAsPlanned(before: Task, event: TaskEvent, after: Task, now: number): void {
  for (const step of after.steps.values()) {
    const old = before.steps.get(step.plan.name);
    const was = old?.processState === "awaiting" ? old : null;
    if (step.processState === "awaiting") {
      expect(after.goal).toBe("do");
      expect(asksAgent(step.plan)).toBe(false);
      if (was === null) expect(before.paused && after.paused).toBe(false);
      else mustKeepItsEnd(was, event, { step, now });
    } else if (was !== null) {
      if (step.processState === "cancelled") expect(after.goal).toBe("undo");
      else mustEndAsPlanned(before, event, { old: was, step, now });
    }
  }
}

function mustStandStill(task: Task): void {
  const halted = task.goal === "do" && task.processState === "halted";
  if (!halted && !task.paused) return;
  expect(stepsOf(task).filter(({ processState }) => processState === "pending")).toEqual([]);
}

/** Undone is exactly what happened, or may have. */
function mustUndoWhatHappened(task: Task): void {
  for (const call of stepsOf(task)) {
    const undo = task.steps.get(undoNameOf(call.plan.name));
    const happened = call.processState === "processed" || call.mayHaveEffect;
    if (undo && undo.attempt > 0) expect(happened).toBe(true);
    if (call.plan.undo === null || task.processState !== "undone" || !happened) continue;
    expect(undo?.processState).toBe("processed");
  }
}

/** The undo of a call never runs beside its do, nor before what came after it is undone. */
function mustUndoInReverse(task: Task): void {
  for (const undo of stepsOf(task)) {
    const { undoes } = undo.plan;
    if (undoes === null || undo.attempt === 0) continue;
    const call = task.steps.get(undoes);
    expect(call && isSettled(call)).toBe(true);
    for (const later of task.workflow.downstream.get(undoes) ?? []) {
      const laterCall = task.steps.get(later);
      const laterUndo = task.steps.get(undoNameOf(later));
      if (!laterCall || !isBegun(laterCall)) continue;
      expect(isSettled(laterCall) && (!laterUndo || isDone(laterUndo))).toBe(true);
    }
  }
}

function mustStartAfterWhatIsBefore(before: Task, after: Task): void {
  for (const step of after.steps.values()) {
    const old = before.steps.get(step.plan.name);
    const isNew =
      step.processState === "awaiting" ? old !== step : step.attempt > (old?.attempt ?? 0);
    if (!isNew) continue;
    for (const name of step.plan.after) {
      const earlier = after.steps.get(name);
      expect(earlier && isDone(earlier)).toBe(true);
    }
  }
}

function play(
  start: Task,
  happenings: readonly Happening[],
  from: number,
): { task: Task; now: number } {
  let task = start;
  let now = from;
  for (const happening of happenings) {
    now += 70_000;
    const event = eventFor(task, happening);
    if (event === null) continue;
    const ready = happening.confirmed && "token" in event ? dispatched(task, event.step) : task;
    const decision = decide(ready, event, at(now, values));
    if (!decision.applied) {
      expect(
        ["stale", "forged"].includes(happening.kind) || isFinished(task) || decision.reason,
      ).toBeTruthy();
      continue;
    }
    expect(["stale", "forged"]).not.toContain(happening.kind);
    for (const { from: state, step } of decision.changes) {
      if (state !== step.processState) expect(legalStep).toContain(`${state},${step.processState}`);
    }
    mustBeLegal(ready, decision.task);
    mustHaveSomethingToWaitFor(decision.task);
    mustUndoInReverse(decision.task);
    mustUndoWhatHappened(decision.task);
    mustStandStill(decision.task);
    mustNameItsSource(ready, decision);
    mustHoldPause(ready, event, decision.task);
    mustRestWithinItsPolicy(decision.task, now);
    mustWaitAsPlanned(ready, event, decision.task, now);
    mustStartAfterWhatIsBefore(ready, decision.task);
    task = decision.task;
  }
  return { task, now };
}

function dispatched(task: Task, name: string): Task {
  const step = task.steps.get(name);
  if (step?.processState !== "processing") return task;
  return { ...task, steps: new Map(task.steps).set(name, { ...step, confirmed: true }) };
}

/** Plays on with everything working, while an operator resumes, and resubmits what is in error. */
function finish(start: Task, from: number): Task {
  const kinds = ["resume", "complete", "claim", "resubmit", "signal", "approve", "fire"] as const;
  let current = { task: start, now: from };
  for (let round = 0; round < 200 && !isFinished(current.task); round += 1) {
    const happenings = kinds.map((kind) => ({ kind, pick: round, confirmed: true }));
    current = play(current.task, happenings, current.now);
  }
  return current.task;
}

describe("with random events in random order", () => {
  test("no task gets into an illegal state, and each task ends once the faults are over", () => {
    fc.assert(
      fc.property(
        anyWorkflow,
        fc.array(anyHappening, { maxLength: 60 }),
        (definition, happenings) => {
          const { task, now } = play(newTask(definition, times), happenings, noon);
          expect(isFinished(finish(task, now))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("a task without faults ends processed, with one attempt for each step", () => {
    fc.assert(
      fc.property(anySoundWorkflow, (definition) => {
        const task = finish(newTask(definition, times), noon);
        expect(task.processState).toBe("processed");
        expect(stepsOf(task).every(({ attempt }) => attempt <= 1)).toBe(true);
      }),
    );
  });
});
