import type { AnnouncingInstance } from "@holdfast/contracts";
import {
  type DecidedBatch,
  decideBatch,
  hasConditions,
  type Json,
  makesDone,
  type Task,
  type TaskValues,
} from "@holdfast/domain";
import {
  capacityFor,
  type EventOutcome,
  givenBackOf,
  type ReportedTaskEvent,
  unreadableRequests,
} from "@holdfast/state-store";
import { claimDueSteps } from "./claim.ts";
import { enqueue } from "./due-order.ts";
import { keep, movesOf, type StoredTask } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { least, type Report, type StoreState } from "./store-state.ts";
import { workflowOf } from "./submit.ts";

type ApplyEvents = AtOnce<SimulatedStore>["applyEvents"];

const nothing: TaskValues = { input: null, outputs: new Map() };
const unknownTask = { applied: false, reason: "unknown_task" } as const;

/** Has the domain decide what events mean, saves that, and claims what has become due. */
export const applying = (state: StoreState): { readonly applyEvents: ApplyEvents } => ({
  applyEvents(reportedEvents, { actor, skipLocked = false, claim }) {
    const { outcomes, tasks, batches } = decideTasks(state, reportedEvents, { actor, skipLocked });
    const dueSteps = batches.flatMap((batch) => batch.dueSteps);
    const firstEnd = least(batches.flatMap(({ firstWaitEnd }) => firstWaitEnd ?? []));
    const capacity =
      dueSteps.length === 0 || claim === undefined ? [] : capacityFor(claim, dueSteps);
    return {
      outcomes: reportedEvents.map((reportedEvent) => outcomes.get(reportedEvent) ?? unknownTask),
      tasks,
      claims:
        claim === undefined || capacity.length === 0
          ? null
          : claimDueSteps(state, { ...claim, capacity }),
      obsoleteAttempts: batches.flatMap((batch) => batch.obsoleteAttempts),
      hasNotifications: false,
      ...(firstEnd === null ? {} : { nextWait: firstEnd - state.now() }),
    };
  },
});

/** What became of reported events. */
export interface Decided {
  readonly outcomes: ReadonlyMap<ReportedTaskEvent, EventOutcome>;
  readonly tasks: readonly Task[];
  readonly batches: readonly DecidedBatch[];
}

/** Task by task, in the order in which the state store locks them. */
export function decideTasks(
  state: StoreState,
  reportedEvents: readonly ReportedTaskEvent[],
  { actor, skipLocked }: { readonly actor: string; readonly skipLocked: boolean },
): Decided {
  const outcomes = new Map<ReportedTaskEvent, EventOutcome>();
  const decided: Task[] = [];
  const batches: DecidedBatch[] = [];
  const byTask = Map.groupBy(reportedEvents, ({ taskId }) => taskId);
  for (const taskId of [...byTask.keys()].toSorted()) {
    const stored = state.tasks.get(taskId);
    if (stored === undefined || (skipLocked && state.isLocked())) continue;
    const mine = byTask.get(taskId) ?? [];
    const batch = decideOne(state, stored, { mine, actor });
    mine.forEach((reportedEvent, index) => {
      outcomes.set(reportedEvent, batch.outcomes[index] as EventOutcome);
    });
    decided.push(stored.task);
    batches.push(batch);
  }
  return { outcomes, tasks: decided, batches };
}

interface Deciding {
  /** The events of this task. */
  readonly mine: readonly ReportedTaskEvent[];
  readonly actor: string;
}

function decideOne(state: StoreState, stored: StoredTask, { mine, actor }: Deciding): DecidedBatch {
  const { now, random, domain, history, watchers } = state;
  const fairnessKey = stored.fairness?.key ?? null;
  const before = { ...stored, fairnessKey, replyTo: null, correlationId: null };
  const batch = decideBatch([before], mine, {
    now: now(),
    random,
    // Notifications are not simulated.
    events: false,
    valuesOf: () => valuesFor(stored, mine),
    outputFaults: new Map(),
    unreadable: unreadableRequests(
      givenBackOf(stored.task, mine, workflowOf(state, stored.task.workflow.name).contracts),
      announcing(state),
    ),
    fold: domain.foldEvents,
  });
  for (const reportedEvent of batch.applied) recordPayloads(stored, reportedEvent);
  for (const { after, changes, acts } of batch.changed) {
    for (const step of keep(stored, after, now())) enqueue(state, stored, step);
    history.push(...movesOf({ before: before.task, after, changes, acts, actor }));
    const reports = reportsOf(mine, batch);
    for (const watcher of watchers) watcher.decided(stored, reports);
  }
  return batch;
}

/** What living instances of Agents say that they perform. */
const announcing = ({ heartbeats, now }: StoreState): readonly AnnouncingInstance[] =>
  [...heartbeats.values()]
    .filter(({ livesUntil }) => livesUntil > now())
    .map(({ beat: { agent, instance: name, operations = null, contracts = null } }) => ({
      agent,
      name,
      operations,
      contracts,
    }));

/** Conditions are looked at only when something is done; without payloads they are left alone. */
function valuesFor(
  stored: StoredTask,
  reportedEvents: readonly ReportedTaskEvent[],
): TaskValues | null {
  if (!hasConditions(stored.task.workflow)) return nothing;
  if (!reportedEvents.some(makesDone)) return null;
  const names = [...stored.task.steps.keys()];
  const outputs = names.map((name) => [name, stored.outputs.get(name) ?? null] as const);
  return { input: stored.input, outputs: new Map<string, Json>(outputs) };
}

function recordPayloads(
  stored: StoredTask,
  { event, output, correctedInput }: ReportedTaskEvent,
): void {
  if (!("step" in event)) return;
  if (output !== undefined) stored.outputs.set(event.step, output);
  if (correctedInput !== undefined) stored.correctedInputs.set(event.step, correctedInput);
}

/** Which reported event led to which moves. */
const reportsOf = (
  reportedEvents: readonly ReportedTaskEvent[],
  { outcomes }: Pick<DecidedBatch, "outcomes">,
): readonly Report[] =>
  reportedEvents.map((reportedEvent, index) => {
    const outcome = outcomes[index];
    return { reportedEvent, changes: outcome?.applied ? outcome.changes : [] };
  });
