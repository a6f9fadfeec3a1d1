import {
  type Change,
  legalTaskTransitions,
  nextStepState,
  stepsOf,
  summarise,
  type Task,
} from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import { epoch, type StoreWatcher } from "@holdfast/testing/simulator";
import {
  attemptId,
  type Facts,
  isAtWork,
  isSkipped,
  nameOf,
  type StepFacts,
  type TaskFacts,
} from "./facts.ts";
import type { World } from "./world.ts";

/** Milliseconds after which, all being well, a request that was never published has been relayed. */
const relayedWithin = 5_000;

export interface MoveOptions {
  /** How many steps of one Agent may be in flight. */
  readonly inFlightLimit: number;
}

/** Holds what the store saves against the rules for steps, tasks and counters. */
export function judgeMoves(
  world: World,
  { tasks, attempts }: Facts,
  { inFlightLimit }: MoveOptions,
): StoreWatcher {
  const { accuse } = world;

  /** Compensations appear when the undo begins. */
  const addSteps = (facts: TaskFacts, task: Task): void => {
    for (const { plan, processState, attempt, failureCount, mayHaveEffect } of stepsOf(task)) {
      if (facts.steps.has(plan.name)) continue;
      const definition = facts.definition.steps.find(
        ({ name }) => name === (plan.undoes ?? plan.name),
      );
      if (definition === undefined) {
        accuse("a task has the steps of its workflow", () => nameOf(task.taskId, plan.name));
        continue;
      }
      const state = plan.undoes === null ? processState : "waiting";
      const counters = { attempt, failureCount, mayHaveEffect, net: 0, keys: new Set<string>() };
      facts.steps.set(plan.name, { definition, state, ...counters });
    }
  };

  const inFlight = (agent: string): number =>
    [...tasks.values()]
      .flatMap(({ steps }) => [...steps.values()])
      .filter(({ state, definition }) => state === "processing" && definition.agent === agent)
      .length;

  const checkMove = (
    known: StepFacts,
    witness: () => string,
    { step, action, from }: Change,
  ): void => {
    if (nextStepState(action, from) !== step.processState) accuse("every move is legal", witness);
    if (known.state !== from) {
      accuse("the history of a step is unbroken", () => `${witness()}, but it was ${known.state}`);
    }
    if (step.attempt !== known.attempt) accuse("only a claim counts an attempt", witness);
    if (known.mayHaveEffect && !step.mayHaveEffect) {
      accuse("a possible effect is never forgotten", witness);
    }
    known.state = step.processState;
    known.mayHaveEffect = step.mayHaveEffect;
  };

  const checkStart = (facts: TaskFacts, witness: () => string, { step, action }: Change): void => {
    const { definition } = facts.steps.get(step.plan.name) as StepFacts;
    if (step.plan.kind !== "call" || (action !== "plan" && action !== "skip")) return;
    if (isSkipped(facts, definition) !== (action === "skip")) {
      accuse("a step is done exactly if its condition holds", witness);
    }
    for (const before of definition.after) {
      const state = facts.steps.get(before)?.state;
      if (state === "processed" || state === "skipped") continue;
      accuse(
        "a step starts when those before it are done",
        () => `${witness()}: ${before} is ${state}`,
      );
    }
  };

  /** What is counted as a failure must have been one, and what was one must be counted. */
  const checkCount = (
    known: StepFacts,
    witness: () => string,
    { step, action }: Change,
    { taskId, event }: ReportedTaskEvent,
  ): void => {
    const { name, kind } = step.plan;
    const threshold =
      (kind === "call" ? known.definition : known.definition.undo)?.retry.failures ?? 0;
    const isCounted = action === "retry" || action === "coolDown" || action === "fail";
    const isReset = action === "complete" || action === "resubmit" || action === "resolve";
    const counted = isCounted ? Math.min(known.failureCount + 1, threshold) : known.failureCount;
    if (step.failureCount !== (isReset ? 0 : counted)) {
      const counts = () => `${witness()}, ${known.failureCount} -> ${step.failureCount}`;
      accuse("a failure counts once, up to the threshold", counts);
    }
    known.failureCount = step.failureCount;

    const attempt = attempts.get(attemptId(taskId, name, step.attempt));
    if (isCounted && event.kind === "expired" && attempt?.isConfirmed !== true) {
      accuse("what the broker never had is no failure", witness);
    }
    // With one step that fails for good, others are cancelled whose last attempt may be young.
    if (event.kind === "expired" && event.step === name && attempt !== undefined) {
      const { completeBy } = attempt.step;
      if (world.timeline.now + epoch < completeBy) accuse("every attempt has its time", witness);
    }
    if (isCounted && event.kind === "neverStarted") {
      accuse("what no Agent took is no failure", witness);
    }
    const isInDoubt = attempt?.isRelayed === true || action === "cancel";
    if (event.kind === "neverStarted" && isInDoubt && attempt && isAtWork(attempt, world)) {
      accuse("what an Agent is at work on is not taken for unbegun", witness);
    }
    const isUntried = attempt?.outcomes.some((one) => one.kind === "failed" && !one.attempted);
    if (action === "requeue" && event.kind === "failed" && isUntried !== true) {
      accuse("a failed attempt is counted", witness);
    }
  };

  const checkCompletion = (
    witness: () => string,
    { step }: Change,
    { taskId, output }: ReportedTaskEvent,
  ): void => {
    const attempt = attempts.get(attemptId(taskId, step.plan.name, step.attempt));
    const given = JSON.stringify(output);
    const isGiven = attempt?.outcomes.some(
      (one) => one.kind === "completed" && JSON.stringify(one.output) === given,
    );
    if (isGiven !== true) accuse("only what its Agent completed is complete", witness);
  };

  const checkChange = (
    facts: TaskFacts,
    change: Change,
    reportedEvent: ReportedTaskEvent,
  ): void => {
    const { step, action, from, reason } = change;
    const known = facts.steps.get(step.plan.name);
    const witness = () => {
      const why = reason === null ? "" : ` (${reason})`;
      return `${nameOf(reportedEvent.taskId, step.plan.name)}: ${action}, ${from} -> ${step.processState}${why}`;
    };
    world.tell("store", witness);
    if (known === undefined) return;
    checkMove(known, witness, change);
    checkStart(facts, witness, change);
    checkCount(known, witness, change, reportedEvent);
    if (action === "complete") checkCompletion(witness, change, reportedEvent);
  };

  /** Where all is well, a claim that nobody published is relayed long before it expires. */
  const checkRelayed = ({ taskId, event }: ReportedTaskEvent): void => {
    if (event.kind !== "expired" || world.healedAt === null) return;
    const attempt = attempts.get(attemptId(taskId, event.step, event.attempt));
    if (attempt === undefined || attempt.isStored) return;
    if (world.timeline.now > Math.max(attempt.claimedAt, world.healedAt) + relayedWithin) {
      accuse("what was claimed is published", () => nameOf(taskId, event.step));
    }
  };

  const checkTask = (facts: TaskFacts, task: Task): void => {
    const { processState: from } = facts;
    const to = task.processState;
    const witness = () => `${nameOf(task.taskId)}: ${from} -> ${to}`;
    for (const { plan, processState } of stepsOf(task)) {
      const known = facts.steps.get(plan.name);
      if (known === undefined || known.state === processState) continue;
      const step = `${nameOf(task.taskId, plan.name)} is ${processState}`;
      accuse("every move is in the history", () => `${step}, by its history ${known.state}`);
      known.state = processState;
    }
    if (to !== summarise(task.goal, task.steps.values())) {
      accuse("the state of a task follows from its steps", witness);
    }
    if (from !== to && !legalTaskTransitions[from].includes(to)) {
      accuse("a task goes only legal ways", witness);
    }
    if (from !== to) world.tell("store", witness);
    facts.processState = to;
    facts.goal = task.goal;
  };

  return {
    submitted({ task, input }, definition) {
      const { wanted, order } = input as { readonly wanted: boolean; readonly order: string };
      const { goal, processState } = task;
      if ([...tasks.values()].some((other) => other.order === order)) {
        accuse("an order is one task", () => nameOf(task.taskId));
      }
      const facts = { definition, order, wanted, steps: new Map(), goal, processState };
      tasks.set(task.taskId, facts);
      addSteps(facts, task);
      world.tell("store", () => `${nameOf(task.taskId)} is submitted: ${definition.name}`);
    },

    claimed({ task }, step) {
      const facts = tasks.get(task.taskId);
      const known = facts?.steps.get(step.plan.name);
      const witness = () =>
        `${nameOf(task.taskId, step.plan.name)}: attempt ${step.attempt} for ${step.lockedBy}`;
      world.tell("store", () => `${witness()}: claim`);
      if (facts === undefined || known === undefined) return;
      const id = attemptId(task.taskId, step.plan.name, step.attempt);
      if (attempts.has(id)) accuse("an attempt is claimed once", witness);
      if (known.state !== "pending") {
        accuse("only what is pending is claimed", () => `${witness()}, but it was ${known.state}`);
      }
      if (step.attempt !== known.attempt + 1) accuse("attempts count by one", witness);
      known.state = "processing";
      known.attempt = step.attempt;
      if (facts.processState === "pending") facts.processState = "processing";
      if (inFlightLimit < Number.POSITIVE_INFINITY && inFlight(step.plan.agent) > inFlightLimit)
        accuse("an Agent gets no more than fits", witness);
      const { now: claimedAt } = world.timeline;
      const notYet = { isStored: false, isConfirmed: false, isRelayed: false };
      attempts.set(id, { step, claimedAt, ...notYet, takenBy: new Map(), outcomes: [] });
    },

    marked({ task }, step) {
      const attempt = attempts.get(attemptId(task.taskId, step.plan.name, step.attempt));
      if (attempt?.isConfirmed === false) {
        accuse("only what the broker has is marked", () => nameOf(task.taskId, step.plan.name));
      }
    },

    relayed({ task }, step) {
      const attempt = attempts.get(attemptId(task.taskId, step.plan.name, step.attempt));
      if (attempt !== undefined) attempt.isRelayed = true;
    },

    decided({ task }, reports) {
      const facts = tasks.get(task.taskId);
      if (facts === undefined) return;
      addSteps(facts, task);
      for (const { reportedEvent, changes } of reports) {
        for (const change of changes) checkChange(facts, change, reportedEvent);
        if (changes.length > 0) checkRelayed(reportedEvent);
      }
      checkTask(facts, task);
    },
  };
}
