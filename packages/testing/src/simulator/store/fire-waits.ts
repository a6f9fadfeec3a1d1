import { type AwaitingStep, type Instant, signalOf } from "@holdfast/domain";
import type { EventOutcome, ReportedTaskEvent } from "@holdfast/state-store";
import { decideTasks } from "./apply.ts";
import type { StoredTask } from "./memory-task.ts";
import type { StoredSignal } from "./signal-types.ts";
import { takeSignal, untakenOf } from "./signals.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { least, type StoreState } from "./store-state.ts";

type FireWaits = AtOnce<SimulatedStore>["fireWaits"];
type Round = Parameters<FireWaits>[0];

interface KnownWait {
  readonly stored: StoredTask;
  readonly step: AwaitingStep;
  readonly dueAt: Instant;
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

/** Ends waits whose time or whose signal has come. */
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
    const fired = due.filter((wait, index) => isEnded(wait, outcomes.get(events[index]!), now));
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
      return step?.processState === "awaiting" ? [{ stored, step, dueAt }] : [];
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
  const isInJump = ({ step: { notBefore } }: KnownWait) =>
    isJump && notBefore !== null && notBefore <= now && notBefore > expected;
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
  return signal === null
    ? { taskId, event: { ...event, by: "deadline" } }
    : { taskId, event: { ...event, by: "signal" }, output: signal.payload };
}

/** Whether a wait has ended, with what it took; one that has not is looked at again later. */
function isEnded(wait: DueWait, outcome: EventOutcome | undefined, now: Instant): boolean {
  const { stored, step, signal } = wait;
  const { name } = step.plan;
  if (outcome?.applied === true) {
    if (signal !== null) takeSignal(stored, signal, name);
    return true;
  }
  // The decision before it of the same round may have ended it.
  if (stored.waits.has(name)) stored.waits.set(name, laterOf(wait, outcome, now));
  return false;
}

/** When a Scheduler looks again at a wait that was due, and has not ended. */
function laterOf({ step }: DueWait, outcome: EventOutcome | undefined, now: Instant): Instant {
  if (outcome === undefined || outcome.applied) return now + lockedFor;
  return outcome.reason === "not_due"
    ? (step.notBefore ?? Number.POSITIVE_INFINITY)
    : now + unusableFor;
}

/** When a wait was to end: by its time, or when its signal was there. */
const endOf = ({ step: { notBefore }, dueAt, signal }: DueWait): Instant =>
  signal === null ? (notBefore ?? dueAt) : dueAt;
