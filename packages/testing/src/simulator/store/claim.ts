import {
  agentOf,
  bandOf,
  constant,
  type Instant,
  laneOf,
  type PendingStep,
  type ProcessingStep,
  virtualTime,
} from "@holdfast/domain";
import type { ClaimedStep, ClaimOptions, LaneCapacity } from "@holdfast/state-store";
import { type DueStep, dueSteps } from "./due-order.ts";
import { replaceStep, type StoredTask } from "./memory-task.ts";
import type { StoreState } from "./store-state.ts";

const claimLimit = 500;

/** Claims the steps that come first in the due order of each lane. */
export function claimDueSteps(state: StoreState, asked: ClaimOptions): ClaimedStep[] {
  const picked = asked.capacity.flatMap((capacity) =>
    state.pauses.isPaused({ kind: "agent", name: capacity.agent ?? capacity.lane })
      ? []
      : pick(state, capacity, asked.upTo).map((due) => ({ ...due, agent: capacity.agent })),
  );
  const taken = picked.slice(0, claimLimit);
  const claims = taken.map(({ stored, step, agent }) =>
    claimOne(state, { stored, name: step.plan.name, agent, asked }),
  );
  for (const stored of new Set(taken.map((one) => one.stored))) {
    begin(state, stored, asked.lockedBy);
  }
  return claims;
}

/**
 * Picks by band, then by rank; in every other claim, by chance, those with a fairness key come
 * first in their band.
 */
function pick(
  state: StoreState,
  { lane, slots, reserved = 0 }: LaneCapacity,
  upTo = lastBand,
): readonly DueStep[] {
  const due = claimable(state, lane).filter(
    ({ step, stored }) => state.domain.bandOfStep(step, stored) <= upTo,
  );
  const keysFirst = due.some(hasKey) && state.random() < 0.5;
  const band = ({ step, stored }: DueStep) => state.domain.bandOfStep(step, stored);
  const turn = (one: DueStep) => (hasKey(one) === keysFirst ? 0 : 1);
  const order = due.toSorted(
    (a, b) => band(a) - band(b) || (keysFirst ? turn(a) - turn(b) : 0) || a.rank - b.rank,
  );
  const last = order.filter((one) => band(one) === lastBand);
  const others = order.filter((one) => band(one) !== lastBand);
  const forOthers = last.length > 0 ? slots - reserved : slots;
  return [...others.slice(0, forOthers), ...last].slice(0, slots);
}

const lastBand = bandOf("batch");
const hasKey = ({ rank }: DueStep): boolean => rank >= virtualTime;

const claimable = (state: StoreState, lane: string): readonly DueStep[] =>
  dueSteps(state).filter(
    ({ stored, step }) =>
      laneOf(step) === lane &&
      !state.pauses.isPaused({ kind: "workflow", name: stored.task.workflow.name }) &&
      !state.isLocked(),
  );

interface Claiming {
  readonly stored: StoredTask;
  readonly name: string;
  /** The Agent of the pool that claims. */
  readonly agent: string | undefined;
  readonly asked: ClaimOptions;
}

function claimOne(state: StoreState, { stored, name, agent, asked }: Claiming): ClaimedStep {
  const at = state.now();
  const step = stored.task.steps.get(name) as PendingStep;
  const claimed = toProcessing(step, {
    at,
    agent: agent ?? step.agent,
    lockedBy: asked.lockedBy,
    token: state.newId(),
  });
  stored.ranks.delete(name);
  stored.resendAts.set(name, at + asked.resendAfter);
  replaceStep(stored, claimed);
  state.history.push({
    taskId: stored.task.taskId,
    step: name,
    action: "claim",
    from: "pending",
    to: "processing",
    attempt: claimed.attempt,
    actor: asked.lockedBy,
    reason: null,
  });
  for (const watcher of state.watchers) watcher.claimed(stored, claimed);
  return toClaim(state, stored, claimed);
}

function toProcessing(
  step: PendingStep,
  { at, ...lock }: { readonly at: Instant } & Pick<ProcessingStep, "agent" | "lockedBy" | "token">,
): ProcessingStep {
  const startBy = at + step.plan.startWithin;
  return {
    ...constant(step),
    ...lock,
    plan: step.plan,
    processState: "processing",
    attempt: step.attempt + 1,
    startBy,
    completeBy: startBy + step.plan.completeWithin,
    confirmed: false,
    resent: false,
  };
}

/** What a Scheduler gets of a step in processing. */
export const toClaim = (
  { now }: StoreState,
  stored: StoredTask,
  step: ProcessingStep,
): ClaimedStep => ({
  taskId: stored.task.taskId,
  name: step.plan.name,
  lane: laneOf(step),
  agent: agentOf(step),
  workflow: stored.task.workflow.name,
  attempt: step.attempt,
  token: step.token,
  startBy: step.startBy,
  completeBy: step.completeBy,
  keyGeneration: step.keyGeneration,
  priority: stored.priority,
  taskInput: step.attempt === 1 ? stored.input : null,
  now: now(),
});

/** A claim is the first move of its task. */
function begin({ now, history }: StoreState, stored: StoredTask, actor: string): void {
  const { task } = stored;
  if (task.processState !== "pending") return;
  stored.task = { ...task, processState: "processing" };
  stored.version += 1;
  stored.updatedAt = now();
  const ofTask = { taskId: task.taskId, step: null, attempt: null, actor, reason: null };
  history.push({ ...ofTask, action: "summarise", from: "pending", to: "processing" });
}
