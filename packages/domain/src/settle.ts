import { evaluateCondition } from "./condition.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import { type Instant, isBegun, isDone, isSettled, type Step, type WaitingStep } from "./step.ts";
import { asksAgent, isReached, isWait, stepKinds, waitRulesOf } from "./step-kinds.ts";
import { type Change, change } from "./step-transitions.ts";
import { type Goal, stepsOf, type Task, type TaskState, withSteps } from "./task.ts";
import { obsoleteUndos } from "./undo.ts";

type FollowUp = (task: Task, context: DecisionContext) => readonly Change[];

/**
 * Applies moves of steps, then everything that follows from where the task now stands: conditions,
 * undos that turned out not to be needed, holding, planning; and sums the task up.
 */
export function settle(
  task: Task,
  changes: readonly Change[],
  context: DecisionContext,
): Decision & { readonly applied: true } {
  let moved = apply(task, changes);
  const all = [...changes];
  for (const followUp of [decideConditions, obsoleteUndos, holdPending, planSteps]) {
    const more = followUp(moved, context);
    moved = apply(moved, more);
    all.push(...more);
  }
  const processState = summarise(moved.goal, moved.steps.values());
  const halted = moved.goal === "undo" || processState === "halted";
  const faultCode = halted ? moved.faultCode : null;
  return { applied: true, task: { ...moved, processState, faultCode }, changes: all };
}

const apply = (task: Task, changes: readonly Change[]): Task =>
  withSteps(
    task,
    changes.map(({ step }) => step),
  );

/**
 * Admits or skips each step that is reached; a skipped step may be what the next one waited for.
 */
const decideConditions: FollowUp = (task, context) => {
  const { valueOf, now } = context;
  if (task.goal === "undo" || valueOf === null) return [];
  const round = stepsOf(task).flatMap((step) => {
    if (step.processState !== "waiting" || step.admitted || !isReached(task, step)) return [];
    const { onlyIf } = step.plan;
    if (onlyIf !== null && !evaluateCondition(onlyIf, valueOf)) {
      return [change(step, "skip", { reason: "step.condition_false" })];
    }
    const end = isWait(step) ? waitRulesOf(step.plan)?.read(step.plan, valueOf, now) : null;
    return [change(step, "admit", { changes: { admitted: true, ...end } })];
  });
  if (round.length === 0) return [];
  return [...round, ...decideConditions(apply(task, round), context)];
};

/**
 * Holds what is pending in a task that halted, or that an operator paused: only what is in flight
 * goes on.
 */
const holdPending: FollowUp = (task) => {
  const halted = task.goal === "do" && stepsOf(task).some(isInError);
  if (!halted && !task.paused) return [];
  const reason = halted ? "task.halted" : "task.paused";
  return stepsOf(task)
    .filter((step) => step.processState === "pending")
    .map((step) => change(step, "hold", { reason }));
};

const isInError = ({ processState }: { readonly processState: string }): boolean =>
  processState === "error";

/** What is planned before its task is to begin waits for that, such as after a pause. */
const planSteps: FollowUp = (task, { now }) => {
  const { beginAt } = task;
  const isEarly = beginAt !== null && beginAt > now && !hasBegun(task);
  const begin = isEarly ? beginAt : now;
  return plan(task).map((step) => begun(step, begin));
};

/** Has a step begin then: it is due for its Agent, or waits from then on. */
function begun(step: WaitingStep, begin: Instant): Change {
  if (!isWait(step)) return change(step, "plan", { changes: { notBefore: begin } });
  const notBefore = waitRulesOf(step.plan)?.endsAt(step, begin) ?? null;
  return change(step, "open", { changes: { notBefore } });
}

/**
 * Whether more of a task has begun than waits: those begin with the task whenever that is to be,
 * and a signal may end one before.
 */
const hasBegun = (task: Task): boolean =>
  stepsOf(task).some((step) => isBegun(step) && asksAgent(step.plan));

/**
 * Every step that may start now. Looks at the whole task and not at what just happened, so that
 * nothing depends on an event being seen: planning again never hurts.
 */
function plan(task: Task): readonly WaitingStep[] {
  if (task.paused) return [];
  return stepsOf(task)
    .filter((step) => step.processState === "waiting")
    .filter((step) => {
      const { goal, mayStart } = stepKinds[step.plan.kind];
      return goal === task.goal && mayStart(task, step);
    });
}

/** The state of a task is never set: it follows from its goal and its steps. Total. */
export function summarise(goal: Goal, steps: Iterable<Step>): TaskState {
  return goal === "do" ? summariseDoing([...steps]) : summariseUndoing([...steps]);
}

function summariseDoing(steps: readonly Step[]): TaskState {
  if (steps.some((step) => step.processState === "error")) return "halted";
  if (steps.every(isDone)) return "processed";
  return steps.some(isBegun) ? "processing" : "pending";
}

function summariseUndoing(steps: readonly Step[]): TaskState {
  const undos = steps.filter((step) => stepKinds[step.plan.kind].goal === "undo");
  if (undos.some((step) => step.processState === "error")) return "halted";
  const over = undos.every(isDone) && steps.every(isSettled);
  return over ? "undone" : "undoing";
}
