import type { EventOutcome, Fault, ReportedTaskEvent } from "@holdfast/domain";
import { composed } from "../postgres/operation.ts";
import { toStoreFault } from "../postgres/postgres-error.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";
import type { StoreContext } from "../store-context.ts";
import { type AppliedEvents, type ApplyOptions, applyTogether } from "./apply-together.ts";
import { lockAll } from "./load-tasks.ts";
import { parkTasks } from "./park-tasks.ts";

const isUnusable = (outcome: EventOutcome | undefined): boolean =>
  outcome?.applied === false && outcome.reason === "unusable_task";

/** The tasks, each once, that were parked because they cannot be decided about. */
export const unusableTasks = (
  reportedEvents: readonly ReportedTaskEvent[],
  outcomes: readonly EventOutcome[],
): readonly string[] => {
  const unusable = reportedEvents.filter((_, index) => isUnusable(outcomes[index]));
  return [...new Set(unusable.map(({ taskId }) => taskId))];
};

/**
 * Applies reported events in one transaction: locks and loads their tasks, has the domain decide,
 * saves. Safe to repeat: the fence rejects what was applied before. If the store refuses a row, or
 * deciding about a task throws, each task gets a transaction of its own: the task that cannot be
 * decided about or saved is parked for an operator, and affects no other. Late, double and foreign
 * events are outcomes, not errors.
 */
export const applyEvents = composed(
  async (
    context,
    reportedEvents: readonly ReportedTaskEvent[],
    options: ApplyOptions,
  ): Promise<AppliedEvents> => {
    try {
      return await withRetries(() => applyTogether(context, reportedEvents, options));
    } catch (error) {
      faultOfTask(error);
      return applyApart(context, reportedEvents, options);
    }
  },
);

/**
 * Faults that one task causes, and would cause again: the store refuses it, or deciding about it
 * throws.
 */
const ofTask: ReadonlySet<string> = new Set([
  "store.refused",
  "store.bug",
  "store.value_too_large",
]);

/** Rethrows what no task has caused. */
export function faultOfTask(error: unknown): Fault {
  const fault = toStoreFault(error);
  if (!ofTask.has(fault.code)) throw fault;
  return fault;
}

/** One task of the batch cannot be saved: finds out which, and parks only that. */
async function applyApart(
  context: StoreContext,
  reportedEvents: readonly ReportedTaskEvent[],
  { claim: _later, ...options }: ApplyOptions,
): Promise<AppliedEvents> {
  const outcomes = new Map<ReportedTaskEvent, EventOutcome>();
  const parts: AppliedEvents[] = [];
  for (const mine of Map.groupBy(reportedEvents, ({ taskId }) => taskId).values()) {
    const applied = await applyOrPark(context, mine, options);
    mine.forEach((reportedEvent, index) => outcomes.set(reportedEvent, applied.outcomes[index]!));
    parts.push(applied);
  }
  return {
    outcomes: reportedEvents.map((reportedEvent) => outcomes.get(reportedEvent)!),
    tasks: parts.flatMap(({ tasks }) => tasks),
    claims: null,
    obsoleteAttempts: parts.flatMap(({ obsoleteAttempts }) => obsoleteAttempts),
    hasNotifications: parts.some(({ hasNotifications }) => hasNotifications),
    traces: new Map(parts.flatMap(({ traces = [] }) => [...traces])),
  };
}

async function applyOrPark(
  context: StoreContext,
  mine: readonly ReportedTaskEvent[],
  options: ApplyOptions,
): Promise<AppliedEvents> {
  try {
    return await withRetries(() => applyTogether(context, mine, options));
  } catch (error) {
    const cause = faultOfTask(error);
    const parked = await parkSteps(context, mine, { options, cause });
    return {
      ...parked,
      claims: null,
      outcomes: mine.map(() => ({ applied: false, reason: "undecidable", cause })),
    };
  }
}

async function parkSteps(
  context: StoreContext,
  mine: readonly ReportedTaskEvent[],
  { options, cause }: { readonly options: ApplyOptions; readonly cause: Fault },
): Promise<AppliedEvents> {
  try {
    return await withRetries(() => applyTogether(context, mine.flatMap(toParked), options));
  } catch (error) {
    faultOfTask(error);
    // A row that cannot be changed at all stays as it is.
    await withRetries(() => pauseTasks(context, mine, cause.message)).catch(faultOfTask);
    return {
      outcomes: [],
      tasks: [],
      claims: null,
      obsoleteAttempts: [],
      hasNotifications: false,
    };
  }
}

/**
 * Pauses tasks about which not even parking their steps can be decided: pausing a task needs no
 * definition.
 */
const pauseTasks = (
  { pool, partitions }: StoreContext,
  mine: readonly ReportedTaskEvent[],
  problem: string,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const taskIds = [...new Set(mine.map(({ taskId }) => taskId))];
    await lockAll(client, taskIds, { partitions });
    const unusable = taskIds.map((taskId) => ({ taskId, problem, workflow: null }));
    const sent = parkTasks(client, unusable, { reported: mine, partitions });
    return { sent, result: () => undefined };
  });

function toParked({ taskId, event }: ReportedTaskEvent): readonly ReportedTaskEvent[] {
  if (!("token" in event) || event.kind === "claimed") return [];
  const { step, attempt, token } = event;
  return [{ taskId, event: { kind: "parked", code: "store.refused", step, attempt, token } }];
}
