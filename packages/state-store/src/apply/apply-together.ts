import { setImmediate as nextTurn } from "node:timers/promises";
import { type Soon, soon } from "@holdfast/contracts";
import {
  type AttemptOfTask,
  type ContractFault,
  type DecidedBatch,
  decideBatch,
  type EventOutcome,
  hasConditions,
  type Instant,
  type Json,
  type Milliseconds,
  makesDone,
  PermanentFault,
  type ReportedTaskEvent,
  refsOfDecisive,
  stepOfRef,
  type Task,
  type TaskValues,
  TransientFault,
  type Unreadable,
  type VersionedTask,
  type WorkflowPlan,
} from "@holdfast/domain";
import { claimSteps } from "../claim/claim-due-steps.ts";
import type { ClaimedRow, ClaimedStep, ClaimOptions, LaneCapacity } from "../claim/claimed-step.ts";
import { rankFairSteps } from "../claim/fairness.ts";
import { enqueueNotifications } from "../outbox/outbox.ts";
import { isMismatch, toStoreFault } from "../postgres/postgres-error.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { type Decided, inTransaction, TakesLong, untilQuick } from "../postgres/transaction.ts";
import type { StoreContext } from "../store-context.ts";
import type { StepContracts } from "../workflows/output-contract.ts";
import { briefReads, contractsOf } from "../workflows/workflow-catalog.ts";
import { haveSucceeded, type LoadedTasks, loadTasks } from "./load-tasks.ts";
import { readValues } from "./load-values.ts";
import { parkTasks } from "./park-tasks.ts";
import { saveTasks } from "./save-tasks.ts";
import { findUnreadable } from "./unreadable-requests.ts";

const save = query("save-outcomes");

/**
 * Returns what sends, without waiting, the statement that stores the payloads and fault details of
 * events that counted. Throws for a value that cannot be written as JSON, before anything is sent.
 */
function prepareOutcomes(
  reportedEvents: readonly ReportedTaskEvent[],
): (db: Database) => readonly Promise<unknown>[] {
  const rows = reportedEvents.flatMap(toRow);
  if (rows.length === 0) return () => [];
  const latest = new Map(rows.map((row) => [`${row.taskId} ${row.name}`, row]));
  const params = columns([...latest.values()], {
    taskIds: "taskId",
    names: "name",
    inputs: "input",
    outputs: "output",
    faultDetails: "faultDetail",
  });
  return (db) => [save(db, params)];
}

function toRow({ taskId, event, correctedInput, output, faultDetail }: ReportedTaskEvent) {
  const payloads = [correctedInput, output, faultDetail];
  if (!("step" in event) || payloads.every((payload) => payload === undefined)) return [];
  return [
    {
      taskId,
      name: event.step,
      input: toJson(correctedInput),
      output: toJson(output),
      faultDetail: faultDetail ?? null,
    },
  ];
}

/** The driver writes a bare string or array in other ways than JSON. */
const toJson = (value: Json | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

export interface AppliedEvents {
  /** One for each reported event, in their order. */
  readonly outcomes: readonly EventOutcome[];
  /** The tasks as they stand now. */
  readonly tasks: readonly Task[];
  /** The steps claimed in the same transaction; null: no claim was made, so make one of its own. */
  readonly claims: readonly ClaimedStep[] | null;
  /** Attempts that need not be finished, because their tasks are now being undone. */
  readonly obsoleteAttempts: readonly AttemptOfTask[];
  /** Whether notifications were put into the outbox. */
  readonly hasNotifications: boolean;
  /** Milliseconds until the first of the waits ends that began; absent: none began. */
  readonly nextWait?: Milliseconds;
  /** The traces of those tasks that belong to one, by their ids, as `traceText` writes them. */
  readonly traces?: ReadonlyMap<string, string>;
}

export interface ApplyOptions {
  /** Who reports the events: stands in the history. */
  readonly actor: string;
  /** An operator's words, kept in the history. */
  readonly note?: string;
  /** Skip locked tasks instead of waiting (SKIP LOCKED). */
  readonly skipLocked?: boolean;
  /**
   * Claim due steps in the same transaction: the same claim as `claimDueSteps`, with its due order
   * and its limits, without a round trip and a commit of its own. It skips what is locked. If the
   * batch makes nothing due, no claim is made, so that the end of a task is never delayed by one.
   */
  readonly claim?: ClaimOptions;
}

/**
 * Locks the tasks, loads them, has the domain decide, and saves: in one transaction. If the outputs
 * take long to check, or many workflows must be read, it is rolled back, and repeated once that is
 * done.
 */
export async function applyTogether(
  context: StoreContext,
  reportedEvents: readonly ReportedTaskEvent[],
  options: ApplyOptions,
): Promise<AppliedEvents> {
  const checks = checkOutputs();
  const reads = briefReads(context.catalog, context.pool);
  return await untilQuick(() => applyBriefly(context, reportedEvents, { options, checks, reads }));
}

interface Applying {
  readonly options: ApplyOptions;
  readonly checks: OutputChecks;
  readonly reads: ReturnType<typeof briefReads>;
}

function applyBriefly(
  context: StoreContext,
  reportedEvents: readonly ReportedTaskEvent[],
  { options, checks, reads }: Applying,
): Promise<AppliedEvents> {
  const byTask = Map.groupBy(reportedEvents, ({ taskId }) => taskId);
  // Tasks of the cache are not loaded.
  const cached = context.cache.take(byTask);
  const findWorkflow = reads.begin();
  const applying = inTransaction(context.pool, async (client) => {
    const loaded = await loadTasks(client, [...byTask.keys()], {
      skipLocked: options.skipLocked ?? false,
      findWorkflow: (name) => findWorkflow(client, name),
      cached,
      partitions: context.partitions,
    });
    const outputFaults = checks.faultsOf(loaded.tasks, byTask);
    const unreadable = await findUnreadable(client, { tasks: loaded.tasks, byTask });
    const deciding = { loaded, reportedEvents, outputFaults, unreadable };
    const batch = await decideLoaded(context, client, deciding);
    return saveBatch(context, client, { loaded, batch, reportedEvents, options });
  });
  return cached.tasks.size === 0 ? applying : applying.catch(orLoadNextTime);
}

interface Deciding {
  readonly loaded: LoadedTasks;
  readonly reportedEvents: readonly ReportedTaskEvent[];
  /** The faults of outputs; none unless given: what operators ask for has no outputs of Agents. */
  readonly outputFaults?: ReadonlyMap<ReportedTaskEvent, ContractFault>;
  readonly unreadable?: ReadonlyMap<ReportedTaskEvent, Unreadable>;
}

/** Has the domain decide about tasks that were loaded in this transaction, and saves nothing. */
export async function decideLoaded(
  context: StoreContext,
  client: Database,
  { loaded, reportedEvents, outputFaults = new Map(), unreadable = new Map() }: Deciding,
): Promise<DecidedBatch> {
  const byTask = Map.groupBy(reportedEvents, ({ taskId }) => taskId);
  const values = await valuesForConditions(client, loaded.tasks, byTask);
  return decideBatch(loaded.tasks, reportedEvents, {
    now: loaded.now,
    random: Math.random,
    events: context.events,
    unusable: new Set(loaded.unusable.map(({ taskId }) => taskId)),
    valuesOf: (taskId) => values.get(taskId) ?? null,
    outputFaults,
    unreadable,
  });
}

interface Saving {
  readonly loaded: LoadedTasks;
  readonly batch: DecidedBatch;
  readonly reportedEvents: readonly ReportedTaskEvent[];
  readonly options: ApplyOptions;
}

/** Sends all that saves the batch, and the claim of what it makes due. */
export function saveBatch(
  context: StoreContext,
  client: Database,
  { loaded, batch, reportedEvents, options }: Saving,
): Decided<AppliedEvents> {
  const { changed, applied } = batch;
  const { now, unusable } = loaded;
  const { actor, note = null, claim } = options;
  const { partitions } = context;
  const sendOutcomes = prepareOutcomes(applied);
  const saved = [
    ...(changed.length > 0 ? saveTasks(client, changed, { actor, note, now, partitions }) : []),
    ...sendOutcomes(client),
    ...enqueueNotifications(client, batch.notifications),
    ...parkTasks(client, unusable, { reported: reportedEvents, partitions }),
  ];
  const ranking = rankWhatIsDue(context, client, { batch, now });
  const claiming = claim === undefined ? null : claimWhatIsDue(context, client, { batch, claim });
  return {
    sent: [...saved, ...[ranking, claiming].filter((sent) => sent !== null)],
    // If all tasks were cached, nothing is read before the commit; such a batch holds nothing but
    // successes.
    verifyCommitted: (db) => haveSucceeded(db, applied.flatMap(succeeded), { partitions }),
    result: async () => {
      // Committed, but the answer was lost: the resend publishes what was claimed.
      const claims = (await claiming?.catch(() => null)) ?? null;
      context.counts.decided(changed);
      if (claim !== undefined) context.cache.keep(changed);
      if (claim !== undefined && claims !== null) context.cache.claimed(claims, claim);
      return {
        claims,
        outcomes: batch.outcomes,
        tasks: batch.decided.map(({ after }) => after),
        obsoleteAttempts: batch.obsoleteAttempts,
        hasNotifications: batch.notifications.length > 0,
        traces: tracesOf(batch),
        ...(batch.firstWaitEnd === null ? {} : { nextWait: batch.firstWaitEnd - now }),
      };
    },
  };
}

const tracesOf = ({ decided }: DecidedBatch): ReadonlyMap<string, string> =>
  new Map(
    decided.flatMap(({ before: { traceContext }, after: { taskId } }) =>
      traceContext == null ? [] : [[taskId, traceContext] as const],
    ),
  );

/**
 * Ranks the steps that the batch makes due, so that claims find them. Null: none has a fairness
 * key.
 */
function rankWhatIsDue(
  context: StoreContext,
  client: Database,
  { batch: { dueSteps }, now }: { readonly batch: DecidedBatch; readonly now: Instant },
): Promise<void> | null {
  const ranked = dueSteps.flatMap(({ rank, ...step }) =>
    rank === null ? [] : [{ ...step, rank }],
  );
  context.dueIndex.add(ranked, now);
  if (ranked.length === dueSteps.length) return null;
  const fair = dueSteps.filter(({ rank }) => rank === null);
  return rankFairSteps(context)(client, fair).then((found) => context.dueIndex.add(found, now));
}

/** Claims what the batch makes due; null: it makes nothing due, or there is no capacity for it. */
function claimWhatIsDue(
  context: StoreContext,
  client: Database,
  { batch, claim }: { readonly batch: DecidedBatch; readonly claim: ClaimOptions },
): Promise<ClaimedRow[]> | null {
  const capacity = capacityFor(claim, batch.dueSteps);
  if (batch.dueSteps.length === 0 || capacity.length === 0) return null;
  return claimSteps(context)(client, { ...claim, capacity });
}

/**
 * A Scheduler may claim more of the steps that it makes due itself, since another Scheduler would
 * have to read their tasks. Which steps it gets is decided by the due order of the lane. A claim of
 * the first bands only keeps to the lanes of these steps: it is to be quick.
 */
export function capacityFor(
  { capacity, upTo }: Pick<ClaimOptions, "capacity" | "upTo">,
  dueSteps: readonly { readonly lane: string }[],
): readonly LaneCapacity[] {
  const byLane = Map.groupBy(dueSteps, ({ lane }) => lane);
  return capacity
    .filter(({ lane }) => upTo === undefined || byLane.has(lane))
    .map(({ most, ...one }) => ({
      ...one,
      slots: Math.max(one.slots, Math.min(most ?? one.slots, byLane.get(one.lane)?.length ?? 0)),
    }))
    .filter(({ slots }) => slots > 0);
}

const succeeded = ({ taskId, event }: ReportedTaskEvent) =>
  event.kind === "completed" ? [{ taskId, step: event.step, attempt: event.attempt }] : [];

/**
 * Another process moved a task that we had cached, or it is unknown whether our commit succeeded.
 * The task has left the cache, so the retry loads it, and rejects as stale what was applied all the
 * same.
 */
function orLoadNextTime(error: unknown): never {
  if (error instanceof TakesLong) throw error;
  const fault = toStoreFault(error);
  if (!isMismatch(fault) && fault.code !== "store.outcome_unknown") throw fault;
  throw new TransientFault("store.contention", fault.message, { cause: error });
}

/** Bytes of JSON that one transaction parses. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Loads what conditions look at, of tasks whose conditions may be evaluated: a step is completed or
 * resolved. The Supervisor reports no such event, and has no right to read payloads. Throws
 * `store.value_too_large` if all of it together is more than a transaction may parse: then each
 * task has a transaction of its own.
 */
async function valuesForConditions(
  db: Database,
  tasks: readonly VersionedTask[],
  byTask: ReadonlyMap<string, readonly ReportedTaskEvent[]>,
): Promise<ReadonlyMap<string, TaskValues>> {
  const conditional = tasks.filter(
    ({ task }) => hasConditions(task.workflow) && byTask.get(task.taskId)?.some(makesDone),
  );
  if (conditional.length === 0) return new Map();
  const values = await readValues(db, {
    refs: conditional.flatMap(({ task }) =>
      valuesOfConditions(task.workflow).map((name) => ({ taskId: task.taskId, name })),
    ),
    most: mostBytes,
  });
  for (const { problem, leftOut } of values.values()) {
    if (problem !== null) throw new PermanentFault("store.value_too_large", problem);
    if (leftOut !== null) {
      throw new PermanentFault(
        "store.value_too_large",
        `What the conditions of ${values.size} tasks look at is more than ${mostBytes} bytes long`,
      );
    }
  }
  return values;
}

/** The steps whose outputs its conditions and waits look at; null: the input of the task. */
function valuesOfConditions({ steps }: WorkflowPlan): readonly (string | null)[] {
  return [...new Set([...steps.values()].flatMap(refsOfDecisive).map(stepOfRef))];
}

/** The outputs of a batch, each checked once against the contract of its operation. */
interface OutputChecks {
  /**
   * Why outputs of these events break their contracts. Throws `TakesLong` once the checks have
   * taken more steps than a transaction may hold, or at one that is found aside: each of the others
   * then gets a turn of the event loop of its own.
   */
  faultsOf(
    tasks: readonly VersionedTask[],
    byTask: ReadonlyMap<string, readonly ReportedTaskEvent[]>,
  ): ReadonlyMap<ReportedTaskEvent, ContractFault>;
}

/** Steps, of 20 ns or so, that the checks of one transaction may take. */
const mostSteps = 300_000;

interface Output {
  readonly event: ReportedTaskEvent;
  readonly contracts: StepContracts;
  readonly step: string;
  readonly output: Json;
}

export function checkOutputs(): OutputChecks {
  const faults = new Map<ReportedTaskEvent, ContractFault>();
  const checked = new Set<ReportedTaskEvent>();

  const outputsOf = ({ task }: VersionedTask, events: readonly ReportedTaskEvent[]) => {
    const contracts = contractsOf(task.workflow);
    return events.flatMap((reported): Output[] => {
      const { event, output } = reported;
      if (event.kind !== "completed" || output === undefined || checked.has(reported)) return [];
      return [{ event: reported, contracts, step: event.step, output }];
    });
  };

  /** Checks one output, at once; returns a promise where the thread for long checks does it. */
  const check = ({ event, contracts, step, output }: Output): Soon<void> => {
    checked.add(event);
    return soon(contracts.output(step, output), (fault) => {
      if (fault !== null) faults.set(event, fault);
    });
  };

  const checkAll = async (outputs: readonly Output[]): Promise<void> => {
    for (const output of outputs) {
      await nextTurn();
      await check(output);
    }
  };

  return {
    faultsOf(tasks, byTask) {
      const outputs = tasks.flatMap((task) => outputsOf(task, byTask.get(task.task.taskId) ?? []));
      let steps = 0;
      for (const [index, output] of outputs.entries()) {
        if (steps > mostSteps) throw new TakesLong(() => checkAll(outputs.slice(index)));
        const before = output.contracts.stepsTaken();
        const isAside = check(output);
        if (isAside instanceof Promise) {
          throw new TakesLong(() => isAside.then(() => checkAll(outputs.slice(index + 1))));
        }
        steps += output.contracts.stepsTaken() - before;
      }
      return faults;
    },
  };
}
