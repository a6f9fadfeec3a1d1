import {
  foldEvents,
  type Outcome,
  type ReportedEvent,
  type Task,
  type TaskValues,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { Pool } from "pg";
import { inTransaction, withRetries } from "./database.ts";
import { type LockedTask, loadTasks } from "./load-tasks.ts";
import { loadValues } from "./load-values.ts";
import type { Database } from "./query.ts";
import { saveOutcomes } from "./save-outcomes.ts";
import { type DecidedTask, saveTasks } from "./save-tasks.ts";
import { toStoreFault } from "./store-fault.ts";
import type { WorkflowCatalog } from "./workflow-catalog.ts";

/** Something that happened to a task, with what is to be kept of it should it count. */
export interface Incident extends ReportedEvent {
  readonly taskId: string;
  /** For people. */
  readonly faultDetail?: string;
}

/** What became of an incident. `unknown_task`: there is no such task, or it is in other hands. */
export type IncidentOutcome =
  | Outcome
  | { readonly applied: false; readonly reason: "unknown_task"; readonly cause?: undefined };

export interface AppliedIncidents {
  /** One for each incident, in their order. */
  readonly outcomes: readonly IncidentOutcome[];
  /** The tasks as they stand now. */
  readonly tasks: readonly Task[];
}

export interface ApplyOptions {
  /** Who says so: stands in the history. */
  readonly actor: string;
  /** Leave out tasks that are in other hands instead of waiting for them. */
  readonly skipLocked?: boolean;
}

/**
 * Locks the tasks, loads them, decides, and saves what changed, all in one transaction. Safe to
 * repeat: what was applied already is then rejected by the fence. A task that the store refuses to
 * save is taken out, so that it spoils no other, and parked for a person.
 */
export const applyIncidents =
  (pool: Pool, catalog: WorkflowCatalog) =>
  async (incidents: readonly Incident[], options: ApplyOptions): Promise<AppliedIncidents> => {
    try {
      return await withRetries(() => applyTogether(pool, catalog, incidents, options));
    } catch (error) {
      if (toStoreFault(error).code !== "store.refused") throw error;
      return applyApart(pool, catalog, incidents, options);
    }
  };

function applyTogether(
  pool: Pool,
  catalog: WorkflowCatalog,
  incidents: readonly Incident[],
  { actor, skipLocked = false }: ApplyOptions,
): Promise<AppliedIncidents> {
  return inTransaction(pool, async (client) => {
    const byTask = Map.groupBy(incidents, ({ taskId }) => taskId);
    const planOf = async (name: string) => (await catalog.find(client, name))?.plan ?? null;
    const [, { tasks, now }] = await Promise.all([
      client.query("begin"),
      loadTasks(client, [...byTask.keys()], { skipLocked, planOf }),
    ]);
    const values = await valuesForConditions(client, tasks);

    const outcomes = new Map<Incident, IncidentOutcome>();
    const decided = tasks.map((before): DecidedTask => {
      const { task } = before;
      const mine = byTask.get(task.taskId) ?? [];
      const known = values.get(task.taskId) ?? nothing;
      const folded = foldEvents(task, mine, { now, random: Math.random, values: known });
      mine.forEach((incident, index) => outcomes.set(incident, folded.outcomes[index]!));
      return { before, after: folded.task, changes: folded.changes };
    });

    const changed = decided.filter(({ before, after }) => before.task !== after);
    const kept = incidents.filter((incident) => outcomes.get(incident)?.applied);
    await Promise.all([
      ...(changed.length > 0 ? saveTasks(client, changed, { actor, now }) : []),
      ...saveOutcomes(client, kept),
      client.query("commit"),
    ]);
    return {
      outcomes: incidents.map((incident) => outcomes.get(incident) ?? unknownTask),
      tasks: decided.map(({ after }) => after),
    };
  });
}

const unknownTask = { applied: false, reason: "unknown_task" } as const;
const nothing: TaskValues = { input: null, outputs: new Map() };

/** Only workflows with conditions need to see payloads to decide. */
async function valuesForConditions(
  db: Database,
  tasks: readonly LockedTask[],
): Promise<ReadonlyMap<string, TaskValues>> {
  const curious = tasks.filter(({ task }) => hasConditions(task.workflow));
  if (curious.length === 0) return new Map();
  return loadValues(
    db,
    curious.flatMap(({ task }) =>
      [null, ...task.steps.keys()].map((name) => ({ taskId: task.taskId, name })),
    ),
  );
}

const hasConditions = ({ steps }: WorkflowPlan): boolean =>
  [...steps.values()].some(({ onlyIf }) => onlyIf !== null);

/** The batch holds something that cannot be saved: find out whose it is, and park only that. */
async function applyApart(
  pool: Pool,
  catalog: WorkflowCatalog,
  incidents: readonly Incident[],
  options: ApplyOptions,
): Promise<AppliedIncidents> {
  const outcomes = new Map<Incident, IncidentOutcome>();
  const tasks: Task[] = [];
  for (const mine of Map.groupBy(incidents, ({ taskId }) => taskId).values()) {
    const applied = await applyOrPark(pool, catalog, mine, options);
    mine.forEach((incident, index) => outcomes.set(incident, applied.outcomes[index]!));
    tasks.push(...applied.tasks);
  }
  return { outcomes: incidents.map((incident) => outcomes.get(incident)!), tasks };
}

async function applyOrPark(
  pool: Pool,
  catalog: WorkflowCatalog,
  mine: readonly Incident[],
  options: ApplyOptions,
): Promise<AppliedIncidents> {
  try {
    return await withRetries(() => applyTogether(pool, catalog, mine, options));
  } catch (error) {
    const cause = toStoreFault(error);
    if (cause.code !== "store.refused") throw cause;
    const { tasks } = await withRetries(() =>
      applyTogether(pool, catalog, mine.flatMap(toParked), options),
    );
    return { tasks, outcomes: mine.map(() => ({ applied: false, reason: "undecidable", cause })) };
  }
}

function toParked({ taskId, event }: Incident): readonly Incident[] {
  if (!("token" in event) || event.kind === "claimed") return [];
  const { step, attempt, token } = event;
  return [{ taskId, event: { kind: "parked", code: "store.refused", step, attempt, token } }];
}
