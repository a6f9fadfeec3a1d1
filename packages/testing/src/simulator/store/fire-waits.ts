import {
  type AwaitingStep,
  approvalOutput,
  audienceOf,
  type Instant,
  rejectionText,
  remindAfterOf,
  signalOf,
} from "@holdfast/domain";
import type { EventOutcome, ReportedTaskEvent, StoredSignal } from "@holdfast/state-store";
import { decideTasks } from "./apply.ts";
import { nextDueAt, type StoredTask } from "./memory-task.ts";
import { takeSignal } from "./signals.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { least, type StoreState } from "./store-state.ts";
import { decisionOn, decisionsAbout } from "./stored-decisions.ts";
import { untakenOf } from "./stored-signals.ts";

type FireWaits = AtOnce<SimulatedStore>["fireWaits"];
type Round = Parameters<FireWaits>[0];

interface KnownWait {
  readonly stored: StoredTask;
  readonly step: AwaitingStep;
  readonly dueAt: Instant;
  /** When that came for which it waits, such as a signal; infinity: nothing has. */
  readonly cameAt: Instant;
}

/** A wait that is due, and what ends it; null: its time alone. */
interface DueWait extends KnownWait {
  readonly signal: StoredSignal | null;
}

/** Milliseconds, as the statements of the store have them. */
const longestJump = 60_000;
const heldFor = 15 * 60_000;
const lockedFor = 500;
const unusableFor = 60_000;

/** Ends waits whose time has come, or what they wait for, and reminds those who decide. */
export const firing = (state: StoreState): { readonly fireWaits: FireWaits } => ({
  fireWaits(round) {
    const { actor, most, expected } = round;
    const now = state.now();
    const waits = waitsOf(state).toSorted((one, other) => one.dueAt - other.dueAt);
    const { taken, held } = takeDue(waits, round, now);
    for (const { stored, step } of held) stored.waits.set(step.plan.name, now + heldFor);
    const due = withSignals(taken);
    const events = due.map(eventOf);
    const { outcomes, batches } = decideTasks(state, events, { actor, skipLocked: true });
    const fired = due.filter((wait, index) => isEnded(state, wait, outcomes.get(events[index]!)));
    const later = waits.filter(({ dueAt }) => dueAt > now && Number.isFinite(dueAt));
    return {
      fired: fired.map((wait) => ({
        taskId: wait.stored.task.taskId,
        step: wait.step.plan.name,
        late: now - endOf(wait),
      })),
      postponed: due.length - fired.length,
      held: expected !== null && now > expected + longestJump ? held.length : null,
      nextIn: due.length === most ? 0 : least(later.map(({ dueAt }) => dueAt - now)),
      now,
      areUsed: [...state.workflows.values()].some(({ definition }) => definition.format > 1),
      obsoleteAttempts: batches.flatMap((batch) => batch.obsoleteAttempts),
      hasNotifications: false,
    };
  },
});

const waitsOf = ({ tasks }: StoreState): readonly KnownWait[] =>
  [...tasks.values()].flatMap((stored) =>
    [...stored.waits].flatMap(([name, dueAt]): KnownWait[] => {
      const step = stored.task.steps.get(name);
      if (step?.processState !== "awaiting") return [];
      const cameAt = stored.cameAts.get(name) ?? Number.POSITIVE_INFINITY;
      return [{ stored, step, dueAt, cameAt }];
    }),
  );

/** The waits that are due, without those that a jump of the clock made due. */
function takeDue(
  waits: readonly KnownWait[],
  { most, expected }: Round,
  now: Instant,
): { readonly taken: readonly KnownWait[]; readonly held: readonly KnownWait[] } {
  const all = waits.filter(({ dueAt }) => dueAt <= now);
  const isJump = expected !== null && now > expected + longestJump;
  const isInJump = ({ stored, step: { plan, notBefore } }: KnownWait) =>
    isJump && !stored.cameAts.has(plan.name) && (notBefore ?? now) > expected;
  return {
    taken: all.filter((wait) => !isInJump(wait)).slice(0, most),
    held: all.filter(isInJump),
  };
}

/** Gives each wait the oldest signal of its name that none before it has. */
function withSignals(waits: readonly KnownWait[]): readonly DueWait[] {
  const given = new Set<StoredSignal>();
  return waits.map((wait) => {
    const name = signalOf(wait.step.plan);
    const untaken = name === null ? [] : untakenOf(wait.stored, name);
    const signal = untaken.find((one) => !given.has(one)) ?? null;
    if (signal !== null) given.add(signal);
    return { ...wait, signal };
  });
}

function eventOf({ stored, step, signal }: DueWait): ReportedTaskEvent {
  const event = { kind: "waitEnded", step: step.plan.name } as const;
  const { taskId } = stored.task;
  if (signal !== null) {
    return { taskId, event: { ...event, by: "signal" }, output: signal.payload };
  }
  if (audienceOf(step.plan) === null) return { taskId, event: { ...event, by: "deadline" } };
  const decisions = decisionsAbout(stored, step.plan.name);
  const by = decisionOn(stored, step) ?? "deadline";
  return by === "rejection"
    ? { taskId, event: { ...event, by }, faultDetail: rejectionText(decisions) }
    : { taskId, event: { ...event, by }, output: approvalOutput(decisions) };
}

/** Whether a wait has ended, with what it took; one that has not is looked at again later. */
function isEnded(state: StoreState, wait: DueWait, outcome: EventOutcome | undefined): boolean {
  const { stored, step, signal } = wait;
  if (outcome?.applied === true) {
    if (signal !== null) takeSignal(stored, signal, step.plan.name);
    return true;
  }
  // What was decided before it in the same round may have ended it.
  if (stored.waits.has(step.plan.name)) putOff(state, wait, outcome?.reason);
  return false;
}

/**
 * Has a wait looked at again that was due, and did not end: soon where its task was locked, at its
 * deadline where another wait took its signal, once its task goes on where a person holds it up.
 * People who have not decided are reminded; what is decided stays so.
 */
function putOff(state: StoreState, { stored, step }: DueWait, reason: string | undefined): void {
  const { waits, cameAts } = stored;
  const now = state.now();
  const { plan, notBefore } = step;
  const never = Number.POSITIVE_INFINITY;
  const isHeldUp = reason === "task_paused" || reason === "task_halted";
  if (isHeldUp || (reason === "not_due" && signalOf(plan) !== null)) {
    waits.set(plan.name, isHeldUp ? never : (notBefore ?? never));
    if (audienceOf(plan) === null) cameAts.delete(plan.name);
  } else if (reason === "not_due" && audienceOf(plan) !== null) {
    waits.set(plan.name, nextDueAt(step, now));
    if (remindAfterOf(plan) === null) return;
    for (const watcher of state.watchers) watcher.reminded?.(stored, step);
  } else {
    const isSoon = reason === undefined || reason === "not_due";
    waits.set(plan.name, now + (isSoon ? lockedFor : unusableFor));
  }
}

/** When a wait was to end: by its time, or when that came for which it waits, if it was first. */
const endOf = ({ step: { notBefore }, cameAt }: DueWait): Instant =>
  Math.min(notBefore ?? Number.POSITIVE_INFINITY, cameAt);
