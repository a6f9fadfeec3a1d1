import { signalContract } from "@holdfast/contracts";
import {
  canonicalJson,
  type Instant,
  isFinished,
  signalOf,
  stepsOf,
  type Task,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { HeldSignal, NewSignal, SentSignal, StoredSignal } from "@holdfast/state-store";
import { makeDue, type StoredTask } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";
import type { BusinessKey, MailboxRow } from "./stored-signals.ts";

/** How many signals of one name may wait for a step, or for their task. */
const most = 100;

type Signalling = Pick<AtOnce<SimulatedStore>, "sendSignals" | "holdSignal" | "listSignals">;

/** Takes signals, for a task that there is and for one that is to come, and lists them. */
export const signalling = (state: StoreState): Signalling => ({
  sendSignals: (signals) => signals.map((signal) => send(state, signal)),
  holdSignal: (signal) => hold(state, signal),
  listSignals: ({ taskId }) => [...(state.tasks.get(taskId)?.signals ?? [])],
});

type Sent = Pick<StoredSignal, "name" | "id" | "payload">;

/** Whether it is that signal, whatever it carries. */
const isNamed =
  ({ name, id }: Pick<Sent, "name" | "id">) =>
  (other: Pick<Sent, "name" | "id">): boolean =>
    other.name === name && other.id === id;

const carriesSame = (one: Pick<Sent, "payload">, other: Pick<Sent, "payload">): boolean =>
  canonicalJson(one.payload) === canonicalJson(other.payload);

function send(state: StoreState, sent: NewSignal): SentSignal {
  const { taskId, name, id, payload, sentBy } = sent;
  const stored = state.tasks.get(taskId);
  if (stored === undefined) return refused("task.unknown");
  const earlier = stored.signals.find(isNamed(sent));
  if (earlier !== undefined) return answerAgain(earlier, sent);
  const left = stored.signals.filter((one) => one.name === name && one.takenBy === null);
  if (left.length >= most) return refused("signal.too_many");
  const now = state.now();
  const isLate = !mayTake(stored.task, name);
  const row = { name, id, payload, sentBy, at: instantText(now), takenBy: null, isLate };
  stored.signals.push(row);
  if (!isLate) makeWaitsDue(stored, name, now);
  for (const watcher of state.watchers) watcher.signalled?.(stored, row);
  return isLate ? refused("signal.too_late") : { kind: "accepted", at: row.at, replayed: false };
}

const refused = <Code extends Extract<SentSignal, { kind: "refused" }>["code"]>(code: Code) =>
  ({ kind: "refused", code }) as const;

function answerAgain(earlier: StoredSignal, signal: Sent): SentSignal {
  if (!carriesSame(earlier, signal)) return refused("signal.id_reused");
  const { at, isLate } = earlier;
  return isLate ? refused("signal.too_late") : { kind: "accepted", at, replayed: true };
}

/** Whether a step of the task waits for signals of that name, or will. */
const mayTake = (task: Task, name: string): boolean =>
  stepsOf(task).some(
    ({ plan, processState }) =>
      signalOf(plan) === name && (processState === "waiting" || processState === "awaiting"),
  );

function makeWaitsDue(stored: StoredTask, name: string, now: Instant): void {
  for (const { plan, processState } of stepsOf(stored.task)) {
    if (processState !== "awaiting" || signalOf(plan) !== name) continue;
    if (!stored.cameAts.has(plan.name)) makeDue(stored, plan.name, now);
  }
}

const instantText = (instant: Instant): string => new Date(instant).toISOString();

/** Has a step take a signal. */
export function takeSignal({ signals }: StoredTask, taken: StoredSignal, step: string): void {
  const index = signals.findIndex(isNamed(taken));
  signals[index] = { ...taken, takenBy: step };
}

const standsFor =
  ({ tenant, family, key }: BusinessKey) =>
  (other: BusinessKey | null): boolean =>
    other !== null && other.key === key && other.family === family && other.tenant === tenant;

/** The last task that got a business key; undefined: none did. */
const holderOf = ({ tasks }: StoreState, key: BusinessKey): StoredTask | undefined =>
  [...tasks.values()].findLast(({ businessKey }) => standsFor(key)(businessKey));

/** The open task that has a business key; undefined: there is none. */
export function openTaskOf(state: StoreState, key: BusinessKey): StoredTask | undefined {
  const holder = holderOf(state, key);
  return holder === undefined || isFinished(holder.task) ? undefined : holder;
}

type Outcome = ReturnType<Signalling["holdSignal"]>;

function hold(state: StoreState, signal: HeldSignal): Outcome {
  const { mailbox, now, watchers } = state;
  const holder = holderOf(state, signal);
  if (holder !== undefined && (!isFinished(holder.task) || holder.signals.some(isNamed(signal)))) {
    return { kind: "task", taskId: holder.task.taskId };
  }
  const kept = mailbox.filter(
    (row) => standsFor(signal)(row) && row.name === signal.name && endOf(row) > now(),
  );
  const earlier = kept.find(isNamed(signal));
  if (earlier !== undefined) {
    return carriesSame(earlier, signal)
      ? { kind: "held", until: instantText(endOf(earlier)), replayed: true }
      : refused("signal.id_reused");
  }
  if (kept.length >= most) return refused("signal.too_many");
  const row = { ...signal, at: now() };
  mailbox.push(row);
  for (const watcher of watchers) watcher.held?.(row);
  return { kind: "held", until: instantText(endOf(row)), replayed: false };
}

const endOf = ({ at, holdFor }: MailboxRow): Instant => at + holdFor;

/**
 * Empties the mailbox of a new task's business key: keeps with the task what was held long enough.
 * What does not fit the contract of its workflow is taken by no step. Returns what the task got.
 */
export function drainMailbox(
  { mailbox, now }: StoreState,
  { signals, businessKey }: StoredTask,
  definition: WorkflowDefinition,
): readonly StoredSignal[] {
  if (businessKey === null || Object.keys(definition.signals ?? {}).length === 0) return [];
  const mine = mailbox.filter(standsFor(businessKey));
  const left = mailbox.filter((row) => !mine.includes(row));
  mailbox.splice(0, mailbox.length, ...left);
  const handed = mine
    .filter((row) => endOf(row) > now())
    .map(({ name, id, payload, sentBy, at, contract }): StoredSignal => {
      const isLate = contract !== signalContract(definition, name);
      return { name, id, payload, sentBy, at: instantText(at), takenBy: null, isLate };
    });
  signals.push(...handed);
  return handed;
}
