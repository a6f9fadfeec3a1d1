import { isSettled, newStep, type Step, type StepState } from "./step.ts";
import { asksAgent, stepKinds } from "./step-kinds.ts";
import { type Change, change, nextStepState } from "./step-transitions.ts";
import { stepsOf, type Task } from "./task.ts";
import type { StepKind } from "./workflow-plan.ts";

/**
 * Drain, then undo. What has not been dispatched is cancelled, and so is what waits; what is in
 * flight stays, because its reply may hold what the undo needs; for each call that did something,
 * or may have, the step that undoes it is added.
 */
export function beginUndo(task: Task, code: string): { task: Task; changes: readonly Change[] } {
  const calls = stepsOf(task);
  const changes = calls
    .filter(({ plan, processState }) => isCancelled(plan.kind, processState))
    .map((step) => change(step, "cancel", { reason: code }));
  const undos = calls.filter(needsUndo).flatMap((step) => {
    const undo = stepKinds[step.plan.kind].undoneBy(step.plan.name);
    const undoPlan = undo === null ? undefined : task.workflow.steps.get(undo);
    return undoPlan === undefined ? [] : [newStep(undoPlan, agentToUndo(step))];
  });
  const steps = new Map(task.steps);
  for (const step of undos) steps.set(step.plan.name, step);
  return { task: { ...task, goal: "undo", faultCode: code, steps }, changes };
}

const isCancelled = (kind: StepKind, state: StepState): boolean =>
  nextStepState("cancel", state) !== null && !stepKinds[kind].drains(state);

/** The Agent that may have done it; null: any of its pool, which share keys, or its only one. */
function agentToUndo({ plan, agent }: Step): string | null {
  const pool = asksAgent(plan) ? plan.pool : null;
  return pool === null || pool.sharesKeys ? null : agent;
}

const needsUndo = (step: Step): boolean =>
  step.processState === "processed" || step.processState === "processing" || step.mayHaveEffect;

/** Undos whose call turned out, once settled, to have changed nothing. */
export function obsoleteUndos(task: Task): readonly Change[] {
  return stepsOf(task).flatMap((step) => {
    if (step.processState !== "waiting" || step.plan.undoes === null) return [];
    const call = task.steps.get(step.plan.undoes);
    const isObsolete = call !== undefined && isSettled(call) && !needsUndo(call);
    return isObsolete ? [change(step, "skip", { reason: "undo.nothing_to_undo" })] : [];
  });
}
