import {
  ContractFault,
  definitionFormat,
  type StepState,
  type TaskState,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { applyIncidents } from "./apply-incidents.ts";
import { busyMonths } from "./busy-months.ts";
import {
  claimDueSteps,
  markDispatchedSteps,
  takeUndispatchedSteps,
  undispatchSteps,
} from "./claimed-steps.ts";
import {
  type ConnectionOptions,
  inTransaction,
  openPool,
  pingStore,
  withRetries,
} from "./database.ts";
import { keepDeadLetters } from "./dead-letters.ts";
import { dueSpans } from "./due-spans.ts";
import { findExpired } from "./find-expired.ts";
import { findStalledTasks } from "./find-stalled.ts";
import { keepHeartbeats } from "./heartbeats.ts";
import { monthsOf } from "./id-ranges.ts";
import { loadValues } from "./load-values.ts";
import { pastLooks } from "./looks.ts";
import { tellRefused } from "./notices.ts";
import { deleteNotices, deleteStaleNotices, takeNotices } from "./outbox.ts";
import {
  deleteExcessMessages,
  deleteExpiredKeys,
  deleteFinishedTasks,
  deleteOldMessages,
  deleteOldRecords,
  dropMonth,
  findOldMonths,
  lookAtClock,
  makePartitions,
} from "./past.ts";
import { findPauses, pause, resume } from "./pauses.ts";
import { promoteRestedSteps } from "./promote-rested-steps.ts";
import { type Database, query, queryAmong } from "./query.ts";
import { findEvents, findTask } from "./read-task.ts";
import { keepRejectedReplies } from "./rejected-replies.ts";
import { resumeRepaired } from "./set-aside.ts";
import { keepStandstills } from "./standstills.ts";
import { asFault, toStoreFault } from "./store-fault.ts";
import { submitTasks } from "./submit-tasks.ts";
import { tasksInHand } from "./tasks-in-hand.ts";
import {
  isUsable,
  registerWorkflow,
  type StoredWorkflow,
  workflowCatalog,
} from "./workflow-catalog.ts";

interface StepsInFlight {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
}

/** The schema that this release knows. */
const schemaVersion = 8;

const findCompatibility = query<object, { schemaVersion: number; oldestReader: number }>(
  "find-compatibility",
);
const setAside = query<object, { steps: number }>("set-paused-steps-aside");
const release = query<object, { steps: number }>("release-resumed-steps");
const countInFlight = queryAmong<{ lockedBy: string }, StepsInFlight>("count-steps-in-flight");
const findWorkflowNames = query<object, { name: string }>("find-workflow-names");
const findLanes = query<{ format: number }, { lane: string }>("find-lanes");
const loadCalls = queryAmong<
  { taskIds: readonly string[] },
  { taskId: string; name: string; processState: StepState; keyGeneration: number }
>("load-undone-steps");
const countTasks = query<object, { processState: TaskState; tasks: number }>("count-tasks");
const findViolations = query<
  { batch: number },
  { invariant: string; taskId: string; witness: string | null }
>("find-invariant-violations");

export interface StateStoreOptions extends ConnectionOptions {
  /** Whether what happens to tasks is told to everybody; not unless said so. */
  readonly events?: boolean;
}

export type StateStore = Awaited<ReturnType<typeof openStateStore>>;

/**
 * The durable record of every task and step. Refuses a schema that this release cannot read
 * (`store.incompatible`). Every method fails with a `Fault`; a transient one may have been carried
 * out or not, and is safe to repeat. The caller owns the result and disposes of it.
 */
export async function openStateStore({ events = false, ...options }: StateStoreOptions) {
  const pool = openPool(options);
  const catalog = workflowCatalog();
  const due = dueSpans();
  const hand = tasksInHand(catalog);
  const busy = busyMonths(pool);
  const home = { pool, catalog, due, busy, hand, events };
  const bound =
    <Params, Result>(ask: (db: Database, params: Params) => Promise<Result>) =>
    (params: Params): Promise<Result> =>
      withRetries(() => ask(pool, params));
  /** For what takes something: when the answer is lost, asking again would only take more. */
  const boundOnce =
    <Params, Result>(ask: (db: Database, params: Params) => Promise<Result>) =>
    (params: Params): Promise<Result> =>
      asFault(() => ask(pool, params));
  /** For what would answer otherwise the second time, or leave a second trace. */
  const boundExactly =
    <Params, Result>(ask: (db: Database, params: Params) => Promise<Result>) =>
    (params: Params): Promise<Result> =>
      withRetries(() =>
        inTransaction(pool, async (client) => {
          const answer = await ask(client, params);
          return { sent: [], result: () => answer };
        }),
      );
  const promote = bound(promoteRestedSteps({ due, busy, looks: pastLooks() }));
  const undispatch = bound(undispatchSteps({ busy }));
  try {
    await withRetries(() => mustBeCompatible(pool));
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    submitTasks: submitTasks(home),
    tellRefused: boundExactly(tellRefused),
    applyIncidents: applyIncidents(home),
    claimDueSteps: boundOnce(claimDueSteps(home)),
    takeUndispatchedSteps: boundOnce(takeUndispatchedSteps(home)),
    markDispatchedSteps: bound(markDispatchedSteps),
    undispatchSteps: () => undispatch({}),
    /** Makes steps whose rest is over claimable; says when (ms) to come back, at the latest. */
    promoteRestedSteps: () => promote({}),
    /** Does a part of what pauses of workflows ask for; says how many steps it moved. */
    keepPauses: async (): Promise<number> => {
      await withRetries(() => resumeRepaired(pool));
      const [[aside], [released]] = await Promise.all([
        boundExactly(setAside)({}),
        boundExactly(release)({}),
      ]);
      return (aside?.steps ?? 0) + (released?.steps ?? 0);
    },
    pause: boundExactly(pause),
    resume: boundExactly(resume),
    findPauses: () => bound(findPauses)({}),
    keepHeartbeats: bound(keepHeartbeats),
    /** Of each lane that has some; `own` are those that `lockedBy` has claimed. */
    countStepsInFlight: bound((db, params: { readonly lockedBy: string }) =>
      countInFlight(db, busy.range(), params),
    ),
    findWorkflowNames: async () => (await bound(findWorkflowNames)({})).map(({ name }) => name),
    findLanes: async () =>
      (await bound(findLanes)({ format: definitionFormat })).map(({ lane }) => lane),
    loadValues: bound(loadValues),
    loadCalls: bound((db, params: { readonly taskIds: readonly string[] }) =>
      loadCalls(db, monthsOf(params.taskIds), params),
    ),
    findExpired: bound(findExpired(pastLooks())),
    findStalledTasks: bound(findStalledTasks),
    makePartitions: () => bound(makePartitions)({}),
    findOldMonths: bound(findOldMonths),
    deleteFinishedTasks: bound(deleteFinishedTasks),
    dropMonth: bound(dropMonth),
    deleteExpiredKeys: boundExactly(deleteExpiredKeys),
    deleteOldRecords: boundExactly(deleteOldRecords),
    deleteOldMessages: boundExactly(deleteOldMessages),
    deleteExcessMessages: boundExactly(deleteExcessMessages),
    lookAtClock: () => bound(lookAtClock)({}),
    keepRejectedReplies: bound(keepRejectedReplies),
    keepDeadLetters: boundExactly(keepDeadLetters),
    keepStandstills: bound(keepStandstills),
    takeNotices: boundOnce(takeNotices),
    deleteNotices: bound(deleteNotices),
    deleteStaleNotices: () => bound(deleteStaleNotices)({}),
    registerWorkflow: (definition: WorkflowDefinition) => bound(registerWorkflow)(definition),
    /** Null: none is stored under that name, or it cannot be used. */
    findWorkflow: async (name: string): Promise<StoredWorkflow | null> => {
      const found = await bound((db, key: string) => catalog.find(db, key))(name);
      return isUsable(found) ? found : null;
    },
    findTask: bound(findTask),
    findEvents: bound(findEvents),
    /** How many tasks there are of each state; reads them all. */
    countTasks: async (): Promise<Partial<Record<TaskState, number>>> =>
      Object.fromEntries(
        (await bound(countTasks)({})).map(({ processState, tasks }) => [processState, tasks]),
      ),
    findInvariantViolations: bound(findViolations),
    /** Resolves when the store answers and accepts writes. */
    ping: () => pingStore(pool),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

const noSuchThing: ReadonlySet<unknown> = new Set(["3F000", "42P01"]);

function notMigrated(error: unknown): never {
  if (!noSuchThing.has(toStoreFault(error).details["sqlstate"])) throw error;
  throw new ContractFault(
    "store.not_migrated",
    "There is no state store in this database: run the migrations (packages/state-store/src/main.ts), or look at the URL",
    { cause: error },
  );
}

async function mustBeCompatible(db: Database): Promise<void> {
  const [found] = await findCompatibility(db, {}).catch(notMigrated);
  if (
    found !== undefined &&
    found.oldestReader <= schemaVersion &&
    found.schemaVersion >= schemaVersion
  )
    return;
  throw new ContractFault(
    "store.incompatible",
    `The state store has schema ${found?.schemaVersion ?? "none"}, this release needs ${schemaVersion}: run the migrations`,
  );
}
