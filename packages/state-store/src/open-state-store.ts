import { prepareForm } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { noMetrics } from "@holdfast/runtime";
import { applyEvents } from "./apply/apply-events.ts";
import { loadCalls } from "./apply/load-calls.ts";
import { loadValues } from "./apply/load-values.ts";
import { recordRejectedReplies } from "./apply/rejected-replies.ts";
import { noTaskCache, taskCache } from "./apply/task-cache.ts";
import {
  closeBreaker,
  endProbes,
  findAgentServices,
  findBreakers,
  findBrokenServices,
  holdBreakerOpen,
  openBreakers,
  throttleServices,
} from "./breakers/breakers.ts";
import { claimProbe } from "./breakers/claim-probe.ts";
import { findRemotes } from "./breakers/find-remotes.ts";
import { bulkOperations } from "./bulk/bulk-operations.ts";
import { recordAttemptSigns } from "./claim/attempt-signs.ts";
import {
  claimDueSteps,
  markDispatchedSteps,
  takeUndispatchedSteps,
  undispatchSteps,
} from "./claim/claim-due-steps.ts";
import { countStepsInFlight } from "./claim/count-steps-in-flight.ts";
import { dueIndex } from "./claim/due-index.ts";
import { findUnavailableAgents } from "./claim/find-unavailable-agents.ts";
import { findAgentSlots, recordHeartbeats } from "./claim/heartbeats.ts";
import { noScanWindow, scanWindow } from "./claim/scan-window.ts";
import { stageDueSteps } from "./claim/stage-due-steps.ts";
import { findExpired } from "./expire/find-expired.ts";
import { findStalledTasks } from "./expire/find-stalled.ts";
import { askForProof, raisePathAlert, recordProofs, rememberOutage } from "./expire/reply-paths.ts";
import { findInvariantViolations } from "./inspect/find-invariant-violations.ts";
import { recordStandstills } from "./inspect/standstills.ts";
import { deadLetterOperations } from "./letters/dead-letters.ts";
import { lookOperations } from "./look/look-operations.ts";
import { decisionCounts } from "./metrics/count-decisions.ts";
import { type DeadLetter, recordDeadLetters } from "./outbox/dead-letters.ts";
import { enqueueRefusals } from "./outbox/notifications.ts";
import {
  deleteNotifications,
  deleteStaleNotifications,
  takeNotifications,
} from "./outbox/outbox.ts";
import { applyPauses } from "./pause/apply-pauses.ts";
import { findPauses, pause, resume } from "./pause/pauses.ts";
import { activePartitions } from "./postgres/active-partitions.ts";
import { type Binder, bindTo } from "./postgres/bind.ts";
import { openCheckedPool } from "./postgres/open-checked-pool.ts";
import type { ConnectionOptions } from "./postgres/pool.ts";
import { pingStore } from "./postgres/transaction.ts";
import { countTasks } from "./read/count-tasks.ts";
import { findFinishedTasks } from "./read/find-finished-tasks.ts";
import { countMatchingTasks, listTasks } from "./read/list-tasks.ts";
import { taskStore } from "./read/read-task.ts";
import { retentionOperations } from "./retention/retention-operations.ts";
import type { StateStore } from "./state-store.ts";
import { statisticsOperations } from "./statistics/statistics-operations.ts";
import type { StoreContext } from "./store-context.ts";
import { claimEnqueued, refuseEnqueued } from "./submit/inbox.ts";
import { submitTasks } from "./submit/submit-tasks.ts";
import { findContractDifferences } from "./workflows/contract-differences.ts";
import { findLanes, findWorkflowNames } from "./workflows/find-names.ts";
import {
  activateWorkflow,
  findActiveVersions,
  findAwaitingWorkflows,
  findKnownAgents,
  findWorkflows,
  reinstateWorkflow,
  retireWorkflow,
} from "./workflows/stored-workflows.ts";
import {
  isUsable,
  type RegistrationOptions,
  registerWorkflow,
  workflowCatalog,
} from "./workflows/workflow-catalog.ts";

export interface StateStoreOptions extends ConnectionOptions {
  /** Whether the status of every task is published to `holdfast.events`; off by default. */
  readonly events?: boolean;
  /** Switches for benchmarks: a store without an optimisation behaves the same, only slower. All on by default. */
  readonly optimisations?: Optimisations;
  /** Ends the wait for the server: then this rejects with its reason. */
  readonly signal?: AbortSignal;
}

interface Optimisations {
  /** Keeps tasks in memory that this instance has just saved or claimed: see `TaskCache`. */
  readonly taskCache?: boolean;
  /** Scans of due and expired steps skip the dead index entries of old snapshots: see `ScanWindow`. */
  readonly scanWindow?: boolean;
}

/**
 * Opens the store, and checks that this release can read its schema: throws `store.incompatible` or
 * `store.not_migrated`. The caller owns the result and disposes of it.
 */
export async function openStateStore({
  events = false,
  optimisations = {},
  signal,
  ...options
}: StateStoreOptions): Promise<StateStore> {
  const pool = await openCheckedPool(options, signal);
  prepareForm();
  const counts = decisionCounts(options.metrics ?? noMetrics);
  const catalog = workflowCatalog();
  const { taskCache: hasTaskCache = true, scanWindow: hasScanWindow = true } = optimisations;
  const context: StoreContext = {
    pool,
    catalog,
    dueIndex: dueIndex(),
    partitions: activePartitions(pool),
    cache: hasTaskCache ? taskCache(catalog) : noTaskCache,
    newScanWindow: () => (hasScanWindow ? scanWindow() : noScanWindow),
    events,
    counts,
  };
  return { ...storeOperations(context), [Symbol.asyncDispose]: () => pool.end() };
}

/** What a store does over the connections of its context, which stay the caller's. */
export function storeOperations(
  context: StoreContext,
): Omit<StateStore, typeof Symbol.asyncDispose> {
  const bind = bindTo(context.pool);
  return {
    ...taskOperations(context, bind),
    ...claimOperations(context, bind),
    ...breakerOperations(context, bind),
    ...bulkOperations(context, bind),
    ...pauseOperations(context, bind),
    ...workflowOperations(context, bind),
    ...readOperations(context, bind),
    ...lookOperations(context, bind),
    ...deadLetterOperations(bind),
    ...outboxOperations(context, bind),
    ...retentionOperations(context, bind),
    ...statisticsOperations(context, bind),
    ping: () => pingStore(context.pool),
  };
}

const taskOperations = (context: StoreContext, { repeatable, once, exactlyOnce }: Binder) => ({
  submitTasks: submitTasks(context),
  claimEnqueued: once(claimEnqueued),
  refuseEnqueued: exactlyOnce(refuseEnqueued),
  enqueueRefusals: exactlyOnce(enqueueRefusals),
  applyEvents: applyEvents(context),
  loadValues: repeatable(loadValues),
  loadCalls: repeatable(loadCalls(context.partitions)),
  recordRejectedReplies: repeatable(recordRejectedReplies),
  findExpired: repeatable(findExpired(context.newScanWindow())),
  findStalledTasks: repeatable(findStalledTasks),
  askForProof: repeatable(askForProof),
  recordProofs: repeatable(recordProofs),
  rememberOutage: repeatable(rememberOutage),
  raisePathAlert: exactlyOnce(raisePathAlert),
});

function claimOperations(context: StoreContext, { repeatable, once }: Binder) {
  const { dueIndex: index, partitions } = context;
  const stage = repeatable(
    stageDueSteps({ dueIndex: index, partitions, window: context.newScanWindow() }),
  );
  const undispatch = repeatable(undispatchSteps(context));
  return {
    claimDueSteps: once(claimDueSteps(context)),
    stageDueSteps: () => stage({}),
    takeUndispatchedSteps: once(takeUndispatchedSteps(context)),
    markDispatchedSteps: repeatable(markDispatchedSteps(context)),
    undispatchSteps: () => undispatch({}),
    countStepsInFlight: repeatable(countStepsInFlight(partitions)),
    findUnavailableAgents: () => repeatable(findUnavailableAgents)({}),
    recordHeartbeats: repeatable(recordHeartbeats),
    recordAttemptSigns: repeatable(recordAttemptSigns(partitions)),
    findAgentSlots: () => repeatable(findAgentSlots)({}),
  };
}

const breakerOperations = (context: StoreContext, { repeatable, exactlyOnce }: Binder) => ({
  findBreakers: () => repeatable(findBreakers)({}),
  findAgentServices: () => repeatable(findAgentServices)({}),
  findBrokenServices: () => repeatable(findBrokenServices)({}),
  findRemotes: () => repeatable(findRemotes(context.partitions))({}),
  openBreakers: exactlyOnce(openBreakers),
  throttleServices: repeatable(throttleServices),
  claimProbe: claimProbe(context),
  endProbes: repeatable(endProbes),
  holdBreakerOpen: exactlyOnce(holdBreakerOpen),
  closeBreaker: exactlyOnce(closeBreaker),
});

const pauseOperations = ({ pool }: StoreContext, { repeatable, exactlyOnce }: Binder) => ({
  pause: exactlyOnce(pause),
  resume: exactlyOnce(resume),
  findPauses: () => repeatable(findPauses)({}),
  applyPauses: applyPauses(pool),
});

const workflowOperations = (
  { catalog, pool }: StoreContext,
  { repeatable, exactlyOnce }: Binder,
) => ({
  registerWorkflow: (definition: WorkflowDefinition, options: RegistrationOptions = {}) =>
    registerWorkflow(pool, { definition, ...options }),
  activateWorkflow: exactlyOnce(activateWorkflow),
  findActiveVersions: repeatable(findActiveVersions),
  findAwaitingWorkflows: () => repeatable(findAwaitingWorkflows)({}),
  retireWorkflow: exactlyOnce(retireWorkflow),
  reinstateWorkflow: exactlyOnce(reinstateWorkflow),
  findWorkflows: () => repeatable(findWorkflows)({}),
  findKnownAgents: () => repeatable(findKnownAgents)({}),
  findContractDifferences: repeatable(
    findContractDifferences((db, name) => catalog.find(db, name)),
  ),
  findWorkflow: async (name: string) => {
    const found = await repeatable((db, key: string) => catalog.find(db, key))(name);
    return isUsable(found) ? found : null;
  },
  findWorkflowNames: () => repeatable(findWorkflowNames)({}),
  findLanes: () => repeatable(findLanes)({}),
});

const readOperations = ({ partitions }: StoreContext, { repeatable }: Binder) => ({
  ...taskStore(repeatable),
  listTasks: repeatable(listTasks),
  countMatchingTasks: repeatable(countMatchingTasks),
  findFinishedTasks: repeatable(findFinishedTasks(partitions)),
  countTasks: () => repeatable(countTasks)({}),
  findInvariantViolations: repeatable(findInvariantViolations),
});

const outboxOperations = ({ counts }: StoreContext, { repeatable, once, exactlyOnce }: Binder) => ({
  takeNotifications: once(takeNotifications),
  deleteNotifications: repeatable(deleteNotifications),
  deleteStaleNotifications: () => repeatable(deleteStaleNotifications)({}),
  recordDeadLetters: async (letters: readonly DeadLetter[]) => {
    await exactlyOnce(recordDeadLetters)(letters);
    counts.deadLetters(letters.map(({ queue }) => queue));
  },
  recordStandstills: repeatable(recordStandstills),
});
