import { contractHash } from "@holdfast/contracts";
import {
  canonicalJson,
  type Instant,
  isFinished,
  signalOf,
  stepsOf,
  type Task,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { StoredTask } from "./memory-task.ts";
import type {
  HeldSignal,
  Holding,
  NewSignal,
  SentSignal,
  SignalStore,
  StoredSignal,
} from "./signal-types.ts";
import type { AtOnce } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";

/** What a business key stands for. */
export type BusinessKey = Pick<HeldSignal, "tenant" | "family" | "key">;

/** A signal that waits for its task. */
export interface MailboxRow extends HeldSignal {
  readonly at: Instant;
}

/** How many signals of one name may wait for a step, or for their task. */
const most = 100;

/** Takes signals, for a task that there is and for one that is to come, and lists them. */
export const signalling = (state: StoreState): AtOnce<SignalStore> => ({
  sendSignals: (signals) => signals.map((signal) => send(state, signal)),
  holdSignal: (signal) => hold(state, signal),
  listSignals: (taskId) =>
    state.tasks.get(taskId)?.signals.map((signal) => ({ ...signal })) ?? null,
});

function send(state: StoreState, { taskId, workflow, ...signal }: NewSignal): SentSignal {
  const stored = state.tasks.get(taskId);
  if (stored?.task.workflow.name !== workflow) return refused("task.unknown");
  const earlier = stored.signals.find(({ id }) => id === signal.id);
  if (earlier !== undefined) return answerAgain(earlier, signal);
  if (stored.signals.filter(isUntaken(signal.name)).length >= most) {
    return refused("signal.too_many");
  }
  const isLate = !mayTake(stored.task, signal.name);
  const row = { ...signal, at: instantText(state.now()), takenBy: null, isLate };
  stored.signals.push(row);
  if (!isLate) makeWaitsDue(stored, signal.name, state.now());
  for (const watcher of state.watchers) watcher.signalled?.(stored, row);
  return isLate ? refused("signal.too_late") : { kind: "accepted", at: row.at, replayed: false };
}

type Refusal = Extract<SentSignal, { kind: "refused" }>["code"];

const refused = <Code extends Refusal>(code: Code) => ({ kind: "refused", code }) as const;

const answerAgain = (
  { at, isLate, ...earlier }: StoredSignal,
  signal: Pick<NewSignal, "name" | "payload">,
): SentSignal => {
  if (!areSame(earlier, signal)) return refused("signal.id_reused");
  return isLate ? refused("signal.too_late") : { kind: "accepted", at, replayed: true };
};

const areSame = (
  one: Pick<NewSignal, "name" | "payload">,
  other: Pick<NewSignal, "name" | "payload">,
): boolean =>
  one.name === other.name && canonicalJson(one.payload) === canonicalJson(other.payload);

/** Whether it is of that name, and may still be taken. */
const isUntaken =
  (name: string) =>
  (signal: StoredSignal): boolean =>
    signal.name === name && signal.takenBy === null && !signal.isLate;

/** Whether a step of the task waits for signals of that name, or will. */
const mayTake = (task: Task, name: string): boolean =>
  stepsOf(task).some(
    ({ plan, processState }) =>
      signalOf(plan) === name && (processState === "waiting" || processState === "awaiting"),
  );

function makeWaitsDue(stored: StoredTask, name: string, now: Instant): void {
  for (const step of stepsOf(stored.task)) {
    if (step.processState === "awaiting" && signalOf(step.plan) === name) {
      stored.waits.set(step.plan.name, now);
    }
  }
}

const instantText = (instant: Instant): string => new Date(instant).toISOString();

/** The signals of a name that a step of the task may take, the oldest first. */
export const untakenOf = (
  { signals }: Pick<StoredTask, "signals">,
  name: string,
): readonly StoredSignal[] => signals.filter(isUntaken(name));

/** Has a step take a signal. */
export function takeSignal(stored: StoredTask, { id }: StoredSignal, step: string): void {
  const index = stored.signals.findIndex((signal) => signal.id === id);
  stored.signals[index] = { ...stored.signals[index]!, takenBy: step };
}

/** The open task that has a business key; undefined: there is none. */
export const openTaskOf = (
  { tasks }: StoreState,
  { tenant, family, key }: BusinessKey,
): StoredTask | undefined =>
  [...tasks.values()].find(
    ({ task, businessKey }) =>
      businessKey !== null &&
      businessKey.key === key &&
      businessKey.family === family &&
      businessKey.tenant === tenant &&
      !isFinished(task),
  );

function hold(state: StoreState, signal: HeldSignal): Holding {
  const holder = openTaskOf(state, signal);
  if (holder !== undefined) return { kind: "task", taskId: holder.task.taskId };
  const kept = heldFor(state, signal);
  const earlier = kept.find(({ id }) => id === signal.id);
  if (earlier !== undefined) {
    return areSame(earlier, signal)
      ? { kind: "held", until: endOf(earlier), replayed: true }
      : refused("signal.id_reused");
  }
  if (kept.filter(({ name }) => name === signal.name).length >= most) {
    return refused("signal.too_many");
  }
  const row = { ...signal, at: state.now() };
  state.mailbox.push(row);
  for (const watcher of state.watchers) watcher.held?.(row);
  return { kind: "held", until: endOf(row), replayed: false };
}

const endOf = ({ at, holdFor }: MailboxRow): string => instantText(at + holdFor);

/** What is held for a business key, the oldest first. */
const heldFor = (
  { mailbox, now }: StoreState,
  { tenant, family, key }: BusinessKey,
): readonly MailboxRow[] =>
  mailbox.filter(
    (row) =>
      row.tenant === tenant &&
      row.family === family &&
      row.key === key &&
      row.at + row.holdFor > now(),
  );

/** Gives a new task what was held for its business key, and what its workflow can read. */
export function drainMailbox(
  state: StoreState,
  stored: StoredTask,
  { signals = {} }: WorkflowDefinition,
): void {
  if (stored.businessKey === null) return;
  const mine = heldFor(state, stored.businessKey).filter(
    ({ name, contract }) =>
      Object.hasOwn(signals, name) && contract === signalContract(signals, name),
  );
  for (const row of mine) {
    const { name, id, payload, sentBy, at } = row;
    state.mailbox.splice(state.mailbox.indexOf(row), 1);
    const isLate = !mayTake(stored.task, name);
    const signal = { name, id, payload, sentBy, at: instantText(at), takenBy: null, isLate };
    stored.signals.push(signal);
    makeWaitsDue(stored, name, state.now());
    for (const watcher of state.watchers) watcher.signalled?.(stored, signal);
  }
}

/** The hash of what signals of a name carry. */
export const signalContract = (
  signals: NonNullable<WorkflowDefinition["signals"]>,
  name: string,
): string => contractHash({ input: signals[name] as never, output: null }) ?? "";
