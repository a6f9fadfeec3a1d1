import {
  type ContractFault,
  type Fault,
  foldEvents,
  hasConditions,
  type Json,
  type Outcome,
  PermanentFault,
  type ReportedEvent,
  stepsOf,
  type Task,
  type TaskEvent,
  type TaskValues,
  TransientFault,
} from "@holdfast/domain";
import type { Pool } from "pg";
import type { BusyMonths } from "./busy-months.ts";
import { type ClaimedStep, type ClaimOptions, claimSteps, roomFor } from "./claimed-steps.ts";
import { inTransaction, withRetries } from "./database.ts";
import type { DueSpans } from "./due-spans.ts";
import { haveSucceeded, type LockedTask, loadTasks, lockAll } from "./load-tasks.ts";
import { loadValues } from "./load-values.ts";
import { noticesOf, tell } from "./notices.ts";
import type { OutputContract } from "./output-contract.ts";
import type { Database } from "./query.ts";
import { prepareOutcomes } from "./save-outcomes.ts";
import { type DecidedTask, dueSteps, saveTasks } from "./save-tasks.ts";
import { setAside } from "./set-aside.ts";
import { isMismatch, toStoreFault } from "./store-fault.ts";
import type { TasksInHand } from "./tasks-in-hand.ts";
import type { WorkflowCatalog } from "./workflow-catalog.ts";

/** Something that happened to a task, with what is to be kept of it should it count. */
export interface Incident extends ReportedEvent {
  readonly taskId: string;
  /** For people. */
  readonly faultDetail?: string;
  /** Takes the place of what the definition says goes into the step. */
  readonly correctedInput?: Json;
  /** Whoever asks has seen the task in this version, and means no other. */
  readonly expectedVersion?: number;
}

/**
 * What became of an incident. `outputFault`: the step counts as failed, as its output breaks the contract
 * of the operation. `unknown_task`: there is no such task, or it is in other hands.
 * `unusable_task`: its definition or its rows cannot be used, so it was set aside.
 * `version_changed`: it is not as whoever asks has seen it.
 */
export type IncidentOutcome =
  | (Outcome & { readonly outputFault?: ContractFault })
  | {
      readonly applied: false;
      readonly reason: "unknown_task" | "unusable_task" | "version_changed";
      readonly cause?: undefined;
    };

/** The tasks, each once, that were set aside because they cannot be decided about. */
export const unusableTasks = (
  incidents: readonly Incident[],
  outcomes: readonly IncidentOutcome[],
): readonly string[] => {
  const isUnusable = (outcome: IncidentOutcome | undefined) =>
    outcome?.applied === false && outcome.reason === "unusable_task";
  const unusable = incidents.filter((_, index) => isUnusable(outcomes[index]));
  return [...new Set(unusable.map(({ taskId }) => taskId))];
};

export interface AppliedIncidents {
  /** One for each incident, in their order. */
  readonly outcomes: readonly IncidentOutcome[];
  /** The tasks as they stand now. */
  readonly tasks: readonly Task[];
  /** What was claimed in the same transaction; null: it was not tried, so claim by itself. */
  readonly claims: readonly ClaimedStep[] | null;
  /** Attempts that need not be finished, because their tasks are now to be undone. */
  readonly needless: readonly AttemptOfTask[];
  /** Whether something is to be told: it waits in the outbox. */
  readonly told: boolean;
}

/** One attempt at one step of one task. */
export interface AttemptOfTask {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
}

export interface ApplyOptions {
  /** Who says so: stands in the history. */
  readonly actor: string;
  /** An operator's words, kept in the history. */
  readonly note?: string;
  /** Leave out tasks that are in other hands instead of waiting for them. */
  readonly skipLocked?: boolean;
  /**
   * Claim in the same transaction what is due then: the very claim that is made otherwise, in its
   * order and its bounds, without a round trip and a commit of its own. It waits for nobody. Where
   * nothing has become due it is left out: whoever waits for the end of a task need not wait for it.
   */
  readonly claim?: ClaimOptions;
}

/**
 * Locks the tasks, loads them, decides, and saves what changed, all in one transaction. Safe to
 * repeat: what was applied already is then rejected by the fence. A task that the store refuses to
 * save, or that cannot be decided about, is taken out, so that it spoils no other, and set aside for a person.
 */
export const applyIncidents =
  (home: Home) =>
  async (incidents: readonly Incident[], options: ApplyOptions): Promise<AppliedIncidents> => {
    try {
      return await withRetries(() => applyTogether(home, incidents, options));
    } catch (error) {
      faultOfTask(error);
      return applyApart(home, incidents, options);
    }
  };

/** What one task brings about, and would bring about again: the store refuses it, or deciding about it throws. */
const ofTask: ReadonlySet<string> = new Set([
  "store.refused",
  "store.bug",
  "store.value_too_large",
]);

/** Throws what is no fault of a task. */
function faultOfTask(error: unknown): Fault {
  const fault = toStoreFault(error);
  if (!ofTask.has(fault.code)) throw fault;
  return fault;
}

/** Where tasks live, and who is told of what happens to them. */
export interface Home {
  readonly pool: Pool;
  readonly catalog: WorkflowCatalog;
  /** Where claims look. */
  readonly due: DueSpans;
  readonly busy: BusyMonths;
  readonly hand: TasksInHand;
  /** Whether everybody is told of every task, or only its submitter and whoever is on call. */
  readonly events: boolean;
}

function applyTogether(
  { pool, catalog, due, busy, hand, events }: Home,
  incidents: readonly Incident[],
  { actor, note, skipLocked = false, claim }: ApplyOptions,
): Promise<AppliedIncidents> {
  const byTask = Map.groupBy(incidents, ({ taskId }) => taskId);
  const held = hand.take(byTask);
  const applying = inTransaction(pool, async (client) => {
    const { tasks, unusable, now } = await loadTasks(client, [...byTask.keys()], {
      skipLocked,
      findWorkflow: (name) => catalog.find(client, name),
      held,
      busy,
    });
    const values = await valuesForConditions(client, tasks, byTask);

    const outcomes = new Map<Incident, IncidentOutcome>();
    for (const { taskId } of unusable) {
      for (const incident of byTask.get(taskId) ?? []) outcomes.set(incident, unusableTask);
    }
    const kept: Incident[] = [];
    const decided = tasks.map((before): DecidedTask => {
      const { task } = before;
      const [mine = [], outdated = []] = splitByVersion(byTask.get(task.taskId), before);
      for (const incident of outdated) outcomes.set(incident, versionChanged);
      const known = hasConditions(task.workflow) ? (values.get(task.taskId) ?? null) : nothing;
      const contract = catalog.known(task.workflow.name)?.contract;
      const checked = mine.map((incident) => holdToContract(incident, contract));
      const reported = checked.map(({ incident }) => incident);
      const folded = foldEvents(task, reported, { now, random: Math.random, values: known });
      const applied = reported.filter((_, index) => folded.outcomes[index]!.applied);
      kept.push(...applied);
      mine.forEach((incident, index) => {
        const outcome = folded.outcomes[index]!;
        const { outputFault } = checked[index]!;
        outcomes.set(incident, outputFault === undefined ? outcome : { ...outcome, outputFault });
      });
      const acts = applied.flatMap(({ event }) => actOf(event));
      return { before, after: folded.task, changes: folded.changes, acts };
    });

    const changed = decided.filter(({ before, after }) => before.task !== after);
    const notices = changed.flatMap((one) => noticesOf(one, { now, events }));
    const sendOutcomes = prepareOutcomes(kept);
    const saved = [
      ...(changed.length > 0 ? saveTasks(client, changed, { actor, note: note ?? null, now }) : []),
      ...sendOutcomes(client),
      ...tell(client, notices),
      ...setAside(client, unusable, incidents),
    ];
    const madeDue = dueSteps(changed, { now });
    due.add(madeDue, now);
    const room = claim === undefined ? [] : roomFor(claim.room, madeDue);
    const claimed =
      claim === undefined || madeDue.length === 0 || room.length === 0
        ? null
        : claimSteps({ due, busy })(client, { ...claim, room });
    return {
      sent: claimed === null ? saved : [...saved, claimed],
      // Where all tasks are in hand nothing is read before the commit; nothing but successes is told then.
      isThere: (db) => haveSucceeded(db, kept.flatMap(succeeded)),
      result: async () => {
        // Committed, but the answer was lost: what was claimed is relayed.
        const claims = (await claimed?.catch(() => null)) ?? null;
        if (claim !== undefined) hand.keep(changed);
        if (claim !== undefined && claims !== null) hand.claimed(claims, claim);
        return {
          claims,
          outcomes: incidents.map((incident) => outcomes.get(incident) ?? unknownTask),
          tasks: decided.map(({ after }) => after),
          needless: changed.flatMap(needlessAttempts),
          told: notices.length > 0,
        };
      },
    };
  });
  return held.tasks.size === 0 ? applying : applying.catch(orReadNextTime);
}

interface Checked {
  readonly incident: Incident;
  readonly outputFault?: ContractFault;
}

/** An output that breaks its contract fails its step for good: the Agent would answer the same again. */
function holdToContract(incident: Incident, contract: OutputContract | undefined): Checked {
  const { taskId, event, output } = incident;
  if (event.kind !== "completed" || output === undefined || contract === undefined)
    return { incident };
  const outputFault = contract(event.step, output);
  if (outputFault === null) return { incident };
  const failure = {
    transient: false,
    attempted: true,
    effect: "unknown",
    retryAfter: null,
  } as const;
  const failed = { ...event, ...failure, kind: "failed", code: outputFault.code } as const;
  return { outputFault, incident: { taskId, event: failed, faultDetail: outputFault.message } };
}

const succeeded = ({ taskId, event }: Incident) =>
  event.kind === "completed" ? [{ taskId, step: event.step, attempt: event.attempt }] : [];

/**
 * Somebody else moved a task that we had in hand, or nobody knows whether we did. It is in hand no more,
 * so it is read when this is repeated: what was applied all the same is then stale.
 */
function orReadNextTime(error: unknown): never {
  const fault = toStoreFault(error);
  if (!isMismatch(fault) && fault.code !== "store.outcome_unknown") throw fault;
  throw new TransientFault("store.contention", fault.message, { cause: error });
}

function splitByVersion(
  incidents: readonly Incident[] = [],
  { version }: LockedTask,
): readonly (readonly Incident[])[] {
  const isOutdated = ({ expectedVersion = version }: Incident) => expectedVersion !== version;
  return incidents.some(isOutdated)
    ? [incidents.filter((one) => !isOutdated(one)), incidents.filter(isOutdated)]
    : [incidents];
}

/** What is asked of a task as a whole, by the name that it has in the history. */
const taskActs: Partial<Readonly<Record<TaskEvent["kind"], string>>> = {
  undoRequested: "undo",
  limitPassed: "undo",
  paused: "pause",
  resumed: "resume",
};

function actOf(event: TaskEvent): DecidedTask["acts"] {
  const action = taskActs[event.kind];
  if (action === undefined) return [];
  if (event.kind === "limitPassed") return [{ action, reason: "task.expired" }];
  return [{ action, reason: "code" in event ? event.code : null }];
}

/** What Agents still do for a task that has just turned around. */
function needlessAttempts({ before, after }: DecidedTask): readonly AttemptOfTask[] {
  if (before.task.goal === after.goal) return [];
  return stepsOf(after).flatMap((step) =>
    step.processState === "processing"
      ? [
          {
            taskId: after.taskId,
            step: step.plan.name,
            attempt: step.attempt,
            token: step.token,
          },
        ]
      : [],
  );
}

const versionChanged = { applied: false, reason: "version_changed" } as const;
const unknownTask = { applied: false, reason: "unknown_task" } as const;
const unusableTask = { applied: false, reason: "unusable_task" } as const;
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
  const values = await loadValues(
    db,
    curious.flatMap(({ task }) =>
      [null, ...task.steps.keys()].map((name) => ({ taskId: task.taskId, name })),
    ),
  );
  for (const { problem } of values.values()) {
    if (problem !== null) throw new PermanentFault("store.value_too_large", problem);
  }
  return values;
}

const makesDone = ({ event }: Incident): boolean =>
  event.kind === "completed" || event.kind === "resolved";

/** The batch holds something that cannot be saved: find out whose it is, and park only that. */
async function applyApart(
  home: Home,
  incidents: readonly Incident[],
  { claim: _later, ...options }: ApplyOptions,
): Promise<AppliedIncidents> {
  const outcomes = new Map<Incident, IncidentOutcome>();
  const parts: AppliedIncidents[] = [];
  for (const mine of Map.groupBy(incidents, ({ taskId }) => taskId).values()) {
    const applied = await applyOrPark(home, mine, options);
    mine.forEach((incident, index) => outcomes.set(incident, applied.outcomes[index]!));
    parts.push(applied);
  }
  return {
    outcomes: incidents.map((incident) => outcomes.get(incident)!),
    tasks: parts.flatMap(({ tasks }) => tasks),
    claims: null,
    needless: parts.flatMap(({ needless }) => needless),
    told: parts.some(({ told }) => told),
  };
}

async function applyOrPark(
  home: Home,
  mine: readonly Incident[],
  options: ApplyOptions,
): Promise<AppliedIncidents> {
  try {
    return await withRetries(() => applyTogether(home, mine, options));
  } catch (error) {
    const cause = faultOfTask(error);
    const parked = await park(home, mine, options, cause);
    return {
      ...parked,
      claims: null,
      outcomes: mine.map(() => ({ applied: false, reason: "undecidable", cause })),
    };
  }
}

async function park(
  home: Home,
  mine: readonly Incident[],
  options: ApplyOptions,
  cause: Fault,
): Promise<AppliedIncidents> {
  try {
    return await withRetries(() => applyTogether(home, mine.flatMap(toParked), options));
  } catch (error) {
    faultOfTask(error);
    // A row that cannot be changed at all stays as it is.
    await withRetries(() => setTasksAside(home.pool, mine, cause.message)).catch(faultOfTask);
    return { outcomes: [], tasks: [], claims: null, needless: [], told: false };
  }
}

/** Not even parking its steps can be decided: without its definition it can be paused all the same. */
const setTasksAside = (pool: Pool, mine: readonly Incident[], problem: string): Promise<void> =>
  inTransaction(pool, async (client) => {
    const taskIds = [...new Set(mine.map(({ taskId }) => taskId))];
    await lockAll(client, taskIds);
    const unusable = taskIds.map((taskId) => ({ taskId, problem, workflow: null }));
    return { sent: setAside(client, unusable, mine), result: () => undefined };
  });

function toParked({ taskId, event }: Incident): readonly Incident[] {
  if (!("token" in event) || event.kind === "claimed") return [];
  const { step, attempt, token } = event;
  return [{ taskId, event: { kind: "parked", code: "store.refused", step, attempt, token } }];
}
