import {
  agentOf,
  bandOf,
  bandOfStep,
  legalTaskTransitions,
  type ProcessingStep,
  stepsOf,
  summarise,
  type Task,
} from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { Host, StoredTask, StoreWatcher } from "@holdfast/testing/simulator";
import { attemptId, type Facts, nameOf, type TaskFacts } from "./facts.ts";
import { judgeChange } from "./judge-change.ts";
import { sharesKeys } from "./workflows.ts";
import type { World } from "./world.ts";

/** Milliseconds after which, all being well, a request that was never published has been resent. */
const resentWithin = 5_000;

export interface MoveOptions {
  /** How many steps of one Agent may be in flight. */
  readonly inFlightLimit: number;
}

/** Holds what the store saves against the rules for steps, tasks and counters. */
export function judgeMoves(world: World, facts: Facts, options: MoveOptions): StoreWatcher {
  const { accuse } = world;
  const { tasks, attempts } = facts;
  return {
    submitted({ task, input }, definition) {
      const { wanted, order } = input as { readonly wanted: boolean; readonly order: string };
      const { goal, processState } = task;
      if ([...tasks.values()].some((other) => other.order === order)) {
        accuse("an order is one task", () => nameOf(task.taskId));
      }
      const known = { definition, order, wanted, steps: new Map(), goal, processState };
      tasks.set(task.taskId, known);
      noteSteps(world, known, task);
      world.tell("store", () => `${nameOf(task.taskId)} is submitted: ${definition.name}`);
    },

    claimed: (stored, step) =>
      judgeClaim(world, facts, {
        taskId: stored.task.taskId,
        step,
        inFlightLimit: limitFor(stored, step, options),
      }),

    confirmed({ task }, step) {
      const attempt = attempts.get(attemptId(task.taskId, step.plan.name, step.attempt));
      if (attempt?.isConfirmed === false) {
        accuse("only what the broker has is confirmed", () => nameOf(task.taskId, step.plan.name));
      }
    },

    resent({ task }, step) {
      const attempt = attempts.get(attemptId(task.taskId, step.plan.name, step.attempt));
      if (attempt !== undefined) attempt.isResent = true;
    },

    signed({ task }, step) {
      const id = attemptId(task.taskId, step.plan.name, step.attempt);
      const witness = () => nameOf(task.taskId, step.plan.name);
      if (attempts.get(id)?.signs.length === 0) {
        accuse("a sign of life counts for its own attempt", witness);
      }
      const { completeWithin, extendUpTo = completeWithin } = step.plan;
      if (step.completeBy > step.startBy + extendUpTo) {
        accuse("no attempt is extended beyond its cap", witness);
      }
    },

    decided({ task }, reports) {
      const known = tasks.get(task.taskId);
      if (known === undefined) return;
      noteSteps(world, known, task);
      for (const { reportedEvent: report, changes } of reports) {
        for (const change of changes) judgeChange(world, facts, { facts: known, change, report });
        if (changes.length > 0) judgeSilence(world, facts, report);
      }
      judgeTask(world, known, task);
    },
  };
}

interface Claim extends MoveOptions {
  readonly taskId: string;
  readonly step: ProcessingStep;
}

/**
 * Urgent steps, and undos that are claimed with them, may go beyond the limit by a tenth (decision
 * 0087).
 */
function limitFor(
  stored: Pick<StoredTask, "priority">,
  step: ProcessingStep,
  { inFlightLimit }: MoveOptions,
): number {
  const mayOvertake = bandOfStep(step, stored) <= bandOf("urgent");
  return inFlightLimit + (mayOvertake ? Math.ceil(inFlightLimit / 10) : 0);
}

function judgeClaim(world: World, { tasks, attempts }: Facts, claim: Claim): void {
  const { accuse } = world;
  const { taskId, step, inFlightLimit } = claim;
  const facts = tasks.get(taskId);
  const known = facts?.steps.get(step.plan.name);
  const witness = () =>
    `${nameOf(taskId, step.plan.name)}: attempt ${step.attempt} for ${step.lockedBy}`;
  world.tell("store", () => `${witness()}: claim`);
  if (facts === undefined || known === undefined) return;
  const id = attemptId(taskId, step.plan.name, step.attempt);
  if (attempts.has(id)) accuse("an attempt is claimed once", witness);
  if (known.state !== "pending") {
    accuse("only what is pending is claimed", () => `${witness()}, but it was ${known.state}`);
  }
  if (step.attempt !== known.attempt + 1) accuse("attempts count by one", witness);
  const agent = agentOf(step);
  const isMoved = known.agent !== null && known.agent !== agent;
  if (isMoved && known.mayHaveEffect && !sharesKeys(facts.definition)) {
    accuse("a step stays with the Agent that may have done it", witness);
  }
  judgeUndo(world, facts, step);
  known.state = "processing";
  known.agent = agent;
  known.attempt = step.attempt;
  if (facts.processState === "pending") facts.processState = "processing";
  const isLimited = inFlightLimit < Number.POSITIVE_INFINITY;
  if (isLimited && countInFlight(tasks, agent) > inFlightLimit) {
    accuse("an Agent gets no more than fits", witness);
  }
  const { now: claimedAt } = world.timeline;
  const notYet = {
    isStored: false,
    isConfirmed: false,
    isAnswerWaiting: false,
    isResent: false,
  };
  attempts.set(id, { step, claimedAt, ...notYet, takenBy: new Map(), ...noAnswer() });
}

const noAnswer = () => ({
  acknowledgedEarly: new Set<Host>(),
  signs: [],
  confirmedBeatAt: Number.NEGATIVE_INFINITY,
  lastBeatAt: Number.NEGATIVE_INFINITY,
  outcomes: [],
  unansweredUntil: null,
});

const countInFlight = (tasks: Facts["tasks"], agent: string): number =>
  [...tasks.values()]
    .flatMap(({ steps }) => [...steps.values()])
    .filter((step) => step.state === "processing" && step.agent === agent).length;

/**
 * Judges that an undo is at the Agent that may have done the step: it alone knows the key under
 * which that was done.
 */
function judgeUndo({ accuse }: World, facts: TaskFacts, step: ProcessingStep): void {
  const { undoes, name } = step.plan;
  const call = undoes === null ? undefined : facts.steps.get(undoes);
  if (call === undefined || call.agent === agentOf(step) || sharesKeys(facts.definition)) return;
  accuse("a step is undone by the Agent that may have done it", () => name);
}

/**
 * Judges that a claim that was not published is resent long before it expires, where all is well.
 */
function judgeSilence(
  world: World,
  { attempts }: Facts,
  { taskId, event }: ReportedTaskEvent,
): void {
  if (event.kind !== "expired" || world.healedAt === null) return;
  const attempt = attempts.get(attemptId(taskId, event.step, event.attempt));
  if (attempt === undefined || attempt.isStored) return;
  if (world.timeline.now > Math.max(attempt.claimedAt, world.healedAt) + resentWithin) {
    world.accuse("what was claimed is published", () => nameOf(taskId, event.step));
  }
}

/** Notes the steps that a task has got: the undos appear when the undo begins. */
function noteSteps({ accuse }: World, facts: TaskFacts, task: Task): void {
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
    const counters = {
      agent: null,
      attempt,
      failureCount,
      mayHaveEffect,
      net: 0,
      keys: new Set<string>(),
    };
    facts.steps.set(plan.name, { definition, state, ...counters });
  }
}

/** Holds a task against the history of its steps and the rules, and notes where it stands. */
function judgeTask(world: World, facts: TaskFacts, task: Task): void {
  const { accuse } = world;
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
}
