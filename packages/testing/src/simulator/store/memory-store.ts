import { agentOf, completeByOf, heartbeatLife, laneOf, noteSign, stepsOf } from "@holdfast/domain";
import { applying } from "./apply.ts";
import { guarding, holdsBack } from "./breakers.ts";
import { claimDueSteps } from "./claim.ts";
import { deciding } from "./decisions.ts";
import { closeFairnessGaps, enqueue } from "./due-order.ts";
import { expiring, proving } from "./expire.ts";
import { firing } from "./fire-waits.ts";
import { type Move, replaceStep, type StoredTask } from "./memory-task.ts";
import { reading } from "./read.ts";
import { resending } from "./resend.ts";
import { signalling } from "./signals.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import {
  emptyState,
  least,
  type MemoryStoreOptions,
  parkedUntil,
  type StoreState,
} from "./store-state.ts";
import type { StoredBreaker } from "./stored-breaker.ts";
import type { MailboxRow } from "./stored-signals.ts";
import { submitting } from "./submit.ts";
import { versioning } from "./versions.ts";

export interface MemoryStore extends AtOnce<SimulatedStore> {
  readonly tasks: ReadonlyMap<string, StoredTask>;
  readonly history: readonly Move[];
  readonly breakers: ReadonlyMap<string, StoredBreaker>;
  /** Signals that wait for their tasks, the oldest first. */
  readonly mailbox: MailboxRow[];
}

/**
 * The state store without Postgres: the same operations over maps, each of them atomic because
 * nothing else runs meanwhile. What it decides, it has the domain decide. Kept equal to the real
 * one by `memory-store.integration.test.ts`.
 */
export function memoryStore(options: MemoryStoreOptions): MemoryStore {
  const state = emptyState(options);
  return {
    claimDueSteps: (asked) => claimDueSteps(state, asked),
    ...applying(state),
    ...firing(state),
    ...resending(state),
    ...staging(state),
    ...reading(state),
    ...expiring(state),
    ...proving(state),
    ...pausing(state),
    ...guarding(state),
    ...submitting(state),
    ...versioning(state),
    ...beating(state),
    ...signing(state),
    ...signalling(state),
    ...deciding(state),
    ...notSimulated,
    tasks: state.tasks,
    history: state.history,
    breakers: state.breakers,
    mailbox: state.mailbox,
  };
}

/** Dead letters and notifications. */
const notSimulated = {
  recordRejectedReplies: () => {},
  recordDeadLetters: () => {},
  takeNotifications: () => [],
  deleteNotifications: () => {},
  deleteStaleNotifications: () => 0,
};

type Signing = Pick<AtOnce<SimulatedStore>, "recordAttemptSigns">;

/** Moves the deadlines of attempts whose Agents say that they are at work on them. */
const signing = ({ tasks, now, watchers }: StoreState): Signing => ({
  recordAttemptSigns(signs) {
    for (const { taskId, step: name, attempt, token, agent, progress, ...sign } of signs) {
      const stored = tasks.get(taskId);
      const step = stored?.task.steps.get(name);
      if (stored === undefined || step?.processState !== "processing") continue;
      if (step.attempt !== attempt || step.token !== token || agentOf(step) !== agent) continue;
      const known = stored.signs.get(name) ?? null;
      const times = noteSign(step, known, { ...sign, now: now() });
      stored.signs.set(name, { ...times, progress: progress ?? known?.progress ?? null });
      stored.resendAts.delete(name);
      const completeBy = completeByOf(step, times, now());
      const signed = { ...step, confirmed: true, completeBy };
      replaceStep(stored, signed);
      for (const watcher of watchers) watcher.signed?.(stored, signed);
    }
  },
});

type Beating = Pick<
  AtOnce<SimulatedStore>,
  "recordHeartbeats" | "findAgentSlots" | "findContractDifferences"
>;

/** Keeps what Agents say of themselves, and tells what those that live have room for. */
const beating = ({ heartbeats, now }: StoreState): Beating => ({
  recordHeartbeats(beats) {
    for (const beat of beats) {
      const livesUntil = now() + heartbeatLife(beat);
      const key = `${beat.agent} ${beat.instance}`;
      heartbeats.delete(key);
      heartbeats.set(key, { beat, livesUntil });
    }
  },

  // Instances see by each request whether they can read it.
  findContractDifferences: () => [],

  findAgentSlots() {
    const living = [...heartbeats.values()].filter(({ livesUntil }) => livesUntil > now());
    // The last one that was seen is the last of the map.
    const byLane = Map.groupBy(living.toReversed(), ({ beat }) => beat.agent);
    return [...byLane].map(([lane, instances]) => ({
      lane,
      slots: instances.map(({ beat }) => beat.capacity),
      busy: instances.reduce((busy, { beat }) => busy + beat.inFlight, 0),
    }));
  },
});

type Pausing = Pick<AtOnce<SimulatedStore>, "applyPauses" | "pause" | "resume">;

/** Pauses of Agents and workflows, and the steps that they park. */
const pausing = (state: StoreState): Pausing => ({
  applyPauses: () => parkPausedSteps(state) + releaseResumedSteps(state),
  pause: (request) => state.pauses.pause(request),
  resume: (request) => state.pauses.resume(request),
});

/** The pending steps of some workflows, with their tasks. */
const pendingOf = ({ tasks }: StoreState, isOfThese: (workflow: string) => boolean) =>
  [...tasks.values()]
    .filter(({ task }) => isOfThese(task.workflow.name))
    .flatMap((stored) =>
      stepsOf(stored.task).flatMap((step) =>
        step.processState === "pending" ? [{ stored, step, name: step.plan.name }] : [],
      ),
    );

function parkPausedSteps(state: StoreState): number {
  const { pauses, isLocked } = state;
  const due = pendingOf(state, (name) => pauses.isPaused({ kind: "workflow", name })).filter(
    ({ stored, name }) => stored.ranks.has(name) && !isLocked(),
  );
  for (const { stored, step, name } of due) {
    stored.ranks.delete(name);
    replaceStep(stored, { ...step, notBefore: parkedUntil });
  }
  return due.length;
}

function releaseResumedSteps(state: StoreState): number {
  const { pauses, now } = state;
  const resumed = pauses.resumedWorkflows();
  const released = pendingOf(state, (name) => resumed.has(name)).filter(
    ({ stored, step, name }) => !stored.ranks.has(name) && step.notBefore === parkedUntil,
  );
  for (const { stored, step, name } of released) {
    const due = { ...step, notBefore: now() };
    replaceStep(stored, due);
    // What has a fairness key is ranked when the next stage finds it.
    if (stored.fairness === null) stored.ranks.set(name, now());
  }
  if (released.length === 0) pauses.release(resumed);
  return released.length;
}

type Staging = Pick<AtOnce<SimulatedStore>, "stageDueSteps">;

/**
 * Makes the steps claimable whose delay is over, and closes the gaps in the order of fairness keys.
 */
const staging = (state: StoreState): Staging => ({
  stageDueSteps() {
    const { tasks, pauses, now, isLocked } = state;
    const lanes = new Set<string>();
    const rests: number[] = [];
    const resends: number[] = [];
    for (const stored of tasks.values()) {
      resends.push(...stored.resendAts.values());
      for (const step of stored.task.steps.values()) {
        if (step.processState !== "pending" || stored.ranks.has(step.plan.name)) continue;
        if (step.notBefore > now()) {
          if (step.notBefore !== parkedUntil) rests.push(step.notBefore - now());
        } else if (!isLocked()) {
          enqueue(state, stored, step);
          lanes.add(laneOf(step));
        }
      }
    }
    closeFairnessGaps(state);
    return {
      lanes: [...lanes],
      nextIn: least(rests),
      resendIn: least(resends.map((at) => at - now())),
      hasDue: [...tasks.values()].some(({ ranks }) => ranks.size > 0),
      hasNotifications: false,
      hasPauses: pauses.unreleasedWorkflows().size > 0,
      hasBreakers: holdsBack(state),
    };
  },
});
