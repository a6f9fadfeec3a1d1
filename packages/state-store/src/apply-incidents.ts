import {
  foldEvents,
  type Outcome,
  type ReportedEvent,
  type Task,
  type TaskValues,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { Pool } from "pg";
import { type ClaimedStep, type ClaimOptions, claimDueSteps } from "./claimed-steps.ts";
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
  /** What was claimed in the same transaction; null: nothing was asked for, so ask by itself. */
  readonly claims: readonly ClaimedStep[] | null;
}

export interface ApplyOptions {
  /** Who says so: stands in the history. */
  readonly actor: string;
  /** Leave out tasks that are in other hands instead of waiting for them. */
  readonly skipLocked?: boolean;
  /**
   * Claim in the same transaction what is due then: the very claim that is made otherwise, in its
   * order and its bounds, without a round trip and a commit of its own. It waits for nobody.
   */
  readonly claim?: ClaimOptions;
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
  { actor, skipLocked = false, claim }: ApplyOptions,
): Promise<AppliedIncidents> {
  return inTransaction(pool, async (client) => {
    const byTask = Map.groupBy(incidents, ({ taskId }) => taskId);
    const planOf = async (name: string) => (await catalog.find(client, name))?.plan ?? null;
    const [, { tasks, now }] = await Promise.all([
      client.query("begin"),
      loadTasks(client, [...byTask.keys()], { skipLocked, planOf }),
    ]);
    const values = await valuesForConditions(client, tasks, byTask);

    const outcomes = new Map<Incident, IncidentOutcome>();
    const decided = tasks.map((before): DecidedTask => {
      const { task } = before;
      const mine = byTask.get(task.taskId) ?? [];
      const known = hasConditions(task.workflow) ? (values.get(task.taskId) ?? null) : nothing;
      const folded = foldEvents(task, mine, { now, random: Math.random, values: known });
      mine.forEach((incident, index) => outcomes.set(incident, folded.outcomes[index]!));
      return { before, after: folded.task, changes: folded.changes };
    });

    const changed = decided.filter(({ before, after }) => before.task !== after);
    const kept = incidents.filter((incident) => outcomes.get(incident)?.applied);
    const saved = [
      ...(changed.length > 0 ? saveTasks(client, changed, { actor, now }) : []),
      ...saveOutcomes(client, kept),
    ];
    const claimed = claim === undefined ? null : claimDueSteps(client, claim);
    const [claims] = await Promise.all([claimed, ...saved, client.query("commit")]);
    return {
      claims,
      outcomes: incidents.map((incident) => outcomes.get(incident) ?? unknownTask),
      tasks: decided.map(({ after }) => after),
    };
  });
}

const unknownTask = { applied: false, reason: "unknown_task" } as const;
const nothing: TaskValues = { input: null, outputs: new Map() };

/**
 * Conditions are looked at when something is done, and only then are payloads needed to decide. The
 * Supervisor brings no such event, and has no right to see them.
 */
async function valuesForConditions(
  db: Database,
  tasks: readonly LockedTask[],
  byTask: ReadonlyMap<string, readonly Incident[]>,
): Promise<ReadonlyMap<string, TaskValues>> {
  const curious = tasks.filter(
    ({ task }) => hasConditions(task.workflow) && byTask.get(task.taskId)?.some(makesDone),
  );
  if (curious.length === 0) return new Map();
  return loadValues(
    db,
    curious.flatMap(({ task }) =>
      [null, ...task.steps.keys()].map((name) => ({ taskId: task.taskId, name })),
    ),
  );
}

const makesDone = ({ event }: Incident): boolean =>
  event.kind === "completed" || event.kind === "resolved";

const hasConditions = ({ steps }: WorkflowPlan): boolean =>
  [...steps.values()].some(({ onlyIf }) => onlyIf !== null);

/** The batch holds something that cannot be saved: find out whose it is, and park only that. */
async function applyApart(
  pool: Pool,
  catalog: WorkflowCatalog,
  incidents: readonly Incident[],
  { claim: _later, ...options }: ApplyOptions,
): Promise<AppliedIncidents> {
  const outcomes = new Map<Incident, IncidentOutcome>();
  const tasks: Task[] = [];
  for (const mine of Map.groupBy(incidents, ({ taskId }) => taskId).values()) {
    const applied = await applyOrPark(pool, catalog, mine, options);
    mine.forEach((incident, index) => outcomes.set(incident, applied.outcomes[index]!));
    tasks.push(...applied.tasks);
  }
  return { outcomes: incidents.map((incident) => outcomes.get(incident)!), tasks, claims: null };
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
    return {
      tasks,
      claims: null,
      outcomes: mine.map(() => ({ applied: false, reason: "undecidable", cause })),
    };
  }
}

function toParked({ taskId, event }: Incident): readonly Incident[] {
  if (!("token" in event) || event.kind === "claimed") return [];
  const { step, attempt, token } = event;
  return [{ taskId, event: { kind: "parked", code: "store.refused", step, attempt, token } }];
}
