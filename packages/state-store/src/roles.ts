import { applyEvents } from "./apply/apply-events.ts";
import { loadCalls, loadValues } from "./apply/load-values.ts";
import { recordRejectedReplies } from "./apply/rejected-replies.ts";
import { findApprovals, findDecisions, recordDecision } from "./approvals/approvals.ts";
import {
  claimProbe,
  closeBreaker,
  endProbes,
  findAgentServices,
  findBreakers,
  findBrokenServices,
  findRemotes,
  holdBreakerOpen,
  openBreakers,
  throttleServices,
} from "./breakers/breakers.ts";
import { applyBulkItems } from "./bulk/apply-items.ts";
import {
  findBulkOperation,
  findBulkWork,
  listBulkItems,
  listBulkOperations,
  stopBulkOperation,
} from "./bulk/bulk-operation.ts";
import { createBulkOperation } from "./bulk/create-bulk-operation.ts";
import { forecastBulkOperation } from "./bulk/judge-tasks.ts";
import { verifyBulkItems } from "./bulk/verify-items.ts";
import { recordAttemptSigns } from "./claim/attempt-signs.ts";
import {
  claimDueSteps,
  confirmRequests,
  countStepsInFlight,
  findUnavailableAgents,
  takeUnconfirmedSteps,
  unconfirmSteps,
} from "./claim/claim-due-steps.ts";
import { findAgentSlots, recordHeartbeats } from "./claim/heartbeats.ts";
import { stageDueSteps } from "./claim/stage-due-steps.ts";
import {
  closeDeadLetter,
  findDeadLetter,
  findDeadLetterAction,
  findDeadLetterActions,
  findDeadLetters,
} from "./dead-letters/dead-letters.ts";
import { findExpired, findStalledTasks } from "./expire/find-expired.ts";
import { askForProof, raisePathAlert, recordProofs, rememberOutage } from "./expire/reply-paths.ts";
import { findInbox } from "./inspect/find-inbox.ts";
import { findInvariantViolations } from "./inspect/find-invariant-violations.ts";
import { findPaths } from "./inspect/find-paths.ts";
import { findStoreId } from "./inspect/find-store-id.ts";
import { recordStalledConsumers } from "./inspect/stalled-consumers.ts";
import { recordDeadLetters } from "./outbox/dead-letters.ts";
import {
  deleteNotifications,
  deleteStaleNotifications,
  enqueueRefusals,
  takeNotifications,
} from "./outbox/outbox.ts";
import { applyPauses, findPauses, pause, resume } from "./pause/pauses.ts";
import { type Operation, ping } from "./postgres/operation.ts";
import { findFleetFacts } from "./read/find-fleet-facts.ts";
import { listAgents } from "./read/list-agents.ts";
import {
  countMatchingTasks,
  countTasks,
  findFinishedTasks,
  findWorkflowsOf,
  listTasks,
} from "./read/list-tasks.ts";
import {
  findEvents,
  findHistory,
  findPayloads,
  findRefusal,
  findTask,
  findTaskByKey,
  findTaskWithin,
} from "./read/read-task.ts";
import {
  deleteExcessMessages,
  deleteExpiredKeys,
  deleteFinishedTasks,
  deleteFreeBusinessKeys,
  deleteOldBulkOperations,
  deleteOldMessages,
  deleteOldRecords,
  deletePassedFairnessKeys,
  deleteUnclaimedSignals,
  dropMonth,
  findOldMonths,
  makePartitions,
  readClock,
} from "./retention/retention.ts";
import {
  deleteSchedule,
  findFires,
  findSchedules,
  fireByHand,
  fireSchedules,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
} from "./schedules/schedules.ts";
import { findSignals, hasSignal, holdSignal, listSignals, sendSignals } from "./signals/signals.ts";
import { findFailures } from "./statistics/find-failures.ts";
import { findOverview } from "./statistics/find-overview.ts";
import {
  findStatistics,
  findStatisticsProgress,
  findTotals,
} from "./statistics/find-statistics.ts";
import { findInstances, recordInstance } from "./statistics/instances.ts";
import { deleteOldStatistics, rollUp } from "./statistics/roll-up.ts";
import type { StoreContext } from "./store-context.ts";
import { claimEnqueued, glanceAtInboxes, refuseEnqueued } from "./submit/inbox.ts";
import {
  claimEnqueuedSignals,
  deleteEnqueuedSignals,
  enqueueSignals,
  refuseEnqueuedSignals,
} from "./submit/signal-inbox.ts";
import { submitTasks } from "./submit/submit-tasks.ts";
import { findAttemptFacts } from "./view/find-attempt-facts.ts";
import { findChangedTasks } from "./view/find-changed-tasks.ts";
import { findPartitionSizes, measureOutbox } from "./view/find-sizes.ts";
import { findEarlierMove, findMovesSince, findStandings } from "./view/follow-tasks.ts";
import { fireWaits } from "./waits/fire-waits.ts";
import { findContractDifferences } from "./workflows/contract-differences.ts";
import { findLanes, findWorkflowNames } from "./workflows/find-names.ts";
import {
  activateWorkflow,
  findActiveVersions,
  findAwaitingWorkflows,
  findKnownAgents,
  findWorkflow,
  findWorkflows,
  registerWorkflow,
  reinstateWorkflow,
  retireWorkflow,
} from "./workflows/stored-workflows.ts";

/** The operations of every process of submission, whatever it does. */
const shared = {
  findActiveVersions,
  findApprovals,
  findDecisions,
  findEarlierMove,
  findFinishedTasks,
  findHistory,
  findKnownAgents,
  findMovesSince,
  findPayloads,
  findRefusal,
  findSignals,
  findStandings,
  findStoreId,
  findTaskByKey,
  findTaskWithin,
  findWorkflow,
  findWorkflows,
  findWorkflowsOf,
  hasSignal,
  holdSignal,
  loadValues,
  ping,
  recordDecision,
  recordInstance,
  registerWorkflow,
  sendSignals,
};

/** The operations of submission where it takes tasks, as `holdfast_submission`. */
const submission = {
  ...shared,
  claimEnqueued,
  claimEnqueuedSignals,
  deleteEnqueuedSignals,
  enqueueRefusals,
  enqueueSignals,
  fireSchedules,
  glanceAtInboxes,
  refuseEnqueued,
  refuseEnqueuedSignals,
  submitTasks,
};

/** The operations of submission where operators use it, as `holdfast_operations`. */
const operations = {
  ...shared,
  activateWorkflow,
  applyEvents,
  deleteSchedule,
  findFires,
  findSchedules,
  fireByHand,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  closeBreaker,
  countMatchingTasks,
  createBulkOperation,
  findAttemptFacts,
  findAwaitingWorkflows,
  findBulkOperation,
  findChangedTasks,
  findContractDifferences,
  findDeadLetter,
  findDeadLetterAction,
  findDeadLetterActions,
  findDeadLetters,
  findFailures,
  findInbox,
  findInstances,
  findLanes,
  findOverview,
  findPartitionSizes,
  findPaths,
  findPauses,
  findRemotes,
  findStatistics,
  findStatisticsProgress,
  findTotals,
  findWorkflowNames,
  forecastBulkOperation,
  holdBreakerOpen,
  listAgents,
  listBulkItems,
  listBulkOperations,
  listTasks,
  loadValues,
  measureOutbox,
  pause,
  reinstateWorkflow,
  resume,
  retireWorkflow,
  closeDeadLetter,
  stopBulkOperation,
};

/** The operations of a Scheduler, as `holdfast_scheduler`. */
const scheduler = {
  applyEvents,
  applyPauses,
  claimDueSteps,
  claimProbe,
  countStepsInFlight,
  deleteNotifications,
  deleteStaleNotifications,
  endProbes,
  findAgentServices,
  findAgentSlots,
  findBreakers,
  findBrokenServices,
  findContractDifferences,
  findFleetFacts,
  findLanes,
  findStoreId,
  findUnavailableAgents,
  findWorkflow,
  fireWaits,
  loadCalls,
  loadValues,
  confirmRequests,
  openBreakers,
  ping,
  recordAttemptSigns,
  recordDeadLetters,
  recordHeartbeats,
  recordInstance,
  recordProofs,
  recordRejectedReplies,
  recordStalledConsumers,
  rememberOutage,
  stageDueSteps,
  takeNotifications,
  takeUnconfirmedSteps,
  throttleServices,
  unconfirmSteps,
};

/** The operations of a Supervisor, as `holdfast_supervisor`. */
const supervisor = {
  applyBulkItems,
  applyEvents,
  askForProof,
  deleteExcessMessages,
  deleteExpiredKeys,
  deleteFinishedTasks,
  deleteFreeBusinessKeys,
  deleteOldBulkOperations,
  deleteOldMessages,
  deleteOldRecords,
  deleteOldStatistics,
  deletePassedFairnessKeys,
  deleteUnclaimedSignals,
  dropMonth,
  findBulkWork,
  findExpired,
  findOldMonths,
  findStalledTasks,
  findStatisticsProgress,
  findStoreId,
  readClock,
  makePartitions,
  ping,
  raisePathAlert,
  recordInstance,
  rememberOutage,
  rollUp,
  verifyBulkItems,
};

/**
 * The operations of tests and people, who only read, as `holdfast_observer`. No service calls them.
 */
const observer = {
  countTasks,
  findEvents,
  findInvariantViolations,
  findTask,
  listSignals,
};

/**
 * The operations of the state store, by the role of Postgres, without `holdfast_`, as which they
 * run. A service calls no other, and the grants of a role are what its operations need: see the
 * test beside.
 */
export const roles = { submission, operations, scheduler, supervisor, observer };

/** Operations that are bound to an open store. */
type Bound<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends Operation<infer Args, infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

export interface SubmissionStore extends Bound<typeof submission> {}
export interface OperationsStore extends Bound<typeof operations> {}
export interface SchedulerStore extends Bound<typeof scheduler> {}
export interface SupervisorStore extends Bound<typeof supervisor> {}
interface ObserverStore extends Bound<typeof observer> {}

/**
 * The durable record of every task and step: the operations of all roles.
 *
 * Durations are milliseconds, instants milliseconds since 1970 on the store's clock, unless an
 * operation says otherwise. Every operation throws a `Fault`. `store.unavailable`,
 * `store.contention` and `store.outcome_unknown` are transient: the operation may have been carried
 * out or not. Those made by `repeatable`, and those that say so, are safe to repeat: they may then
 * be called again with the same arguments. Operations retry for about five seconds on their own
 * before they throw.
 */
export interface StateStore
  extends SubmissionStore,
    OperationsStore,
    SchedulerStore,
    SupervisorStore,
    ObserverStore,
    AsyncDisposable {}

/** Binds the operations of all roles to what an open store shares. */
export function bindOperations(
  context: StoreContext,
): Omit<StateStore, typeof Symbol.asyncDispose> {
  const all = { ...submission, ...operations, ...scheduler, ...supervisor, ...observer };
  const bound = Object.entries(all).map(([name, operation]) => [name, operation(context)]);
  return Object.fromEntries(bound);
}
