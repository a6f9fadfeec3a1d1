export type { AttemptOfTask, EventOutcome, ReportedTaskEvent } from "@holdfast/domain";
export { unusableTasks } from "./apply/apply-events.ts";
export { type AppliedEvents, capacityFor } from "./apply/apply-together.ts";
export type { LoadedValues, ValueRef, ValuesOptions } from "./apply/load-values.ts";
export { unusableActor } from "./apply/park-tasks.ts";
export type { RejectedReply } from "./apply/rejected-replies.ts";
export { givenBackOf, unreadableRequests } from "./apply/unreadable-requests.ts";
export {
  type ApprovalPage,
  type ApprovalQuery,
  approvalOutcome,
  type DecisionOfStep,
  type DecisionOutcome,
  type NewDecision,
  type OpenApproval,
} from "./approvals/approvals.ts";
export type {
  Breaker,
  BreakerRequest,
  FailingService,
  LastFault,
  ProbedLane,
  ProbeOptions,
  ProbeOutcome,
  RemoteRecord,
  Throttle,
} from "./breakers/breakers.ts";
export type { AppliedItems } from "./bulk/apply-items.ts";
export type { BulkItem, BulkOperation, BulkWork } from "./bulk/bulk-operation.ts";
export { mostBulkItems } from "./bulk/choose-items.ts";
export type { BulkAsked, NewBulkOperation } from "./bulk/create-bulk-operation.ts";
export type { BulkForecast } from "./bulk/judge-tasks.ts";
export type { VerifiedItems } from "./bulk/verify-items.ts";
export type { AttemptSignOfTask, StepProgress } from "./claim/attempt-signs.ts";
export type {
  AttemptKey,
  ClaimedStep,
  ClaimOptions,
  LaneCapacity,
  ResendOptions,
} from "./claim/claimed-step.ts";
export type { Heartbeat, LaneSlots } from "./claim/heartbeats.ts";
export type {
  DeadLetterAct,
  DeadLetterRecord,
  DeadLetterRequest,
  KeptDeadLetter,
} from "./dead-letters/dead-letters.ts";
export type { Expired, StalledTasks } from "./expire/find-expired.ts";
export type { Asked, OutagePart, ProbeRequest, Proof } from "./expire/reply-paths.ts";
export type {
  EnqueuedFacts,
  InboxFacts,
  RefusedEntries,
  SeenInbox,
} from "./inspect/find-inbox.ts";
export type { Violation } from "./inspect/find-invariant-violations.ts";
export type { KeptOptions } from "./inspect/find-kept-options.ts";
export type { Migrations } from "./inspect/find-migrations.ts";
export type { OutageInForce, PathFacts, UnprovenPath } from "./inspect/find-paths.ts";
export type { FoundPooler } from "./inspect/find-pooler.ts";
export type {
  BreakerFacts,
  LaneFacts,
  PauseFacts,
  RemoteFacts,
  StepFacts,
  TaskFacts,
} from "./inspect/find-task-facts.ts";
export type { Unusable } from "./inspect/find-unusable.ts";
export {
  type AgentDemand,
  type ClockFacts,
  type InspectorOptions,
  type LateWaits,
  type Loss,
  openInspector,
  type PartitionFacts,
  type PauseInForce,
  type ScheduleTroubles,
  type ServerFacts,
  type StoreInspector,
  type SubmittedFacts,
  type UnreadFormats,
  type UnsentNotifications,
  type UnvacuumedTable,
  type XminHolder,
} from "./inspect/open-inspector.ts";
export type { StalledConsumerFacts } from "./inspect/stalled-consumers.ts";
export { type MadeLogins, makeLogins } from "./migrate/make-logins.ts";
export { migrate } from "./migrate/migrate.ts";
export { migrateForProject, type ProjectStore } from "./migrate/migrate-for-project.ts";
export { variablesNeeded } from "./migrate/psql-script.ts";
export { openStateStore } from "./open-state-store.ts";
export type { DeadLetter } from "./outbox/dead-letters.ts";
export type { Notification, TakenNotification } from "./outbox/outbox.ts";
export type { Pause, PauseRequest, PauseTarget } from "./pause/pauses.ts";
export type { FleetFacts } from "./read/find-fleet-facts.ts";
export type { ListedAgent, ListedInstance } from "./read/list-agents.ts";
export type {
  ListedTask,
  PageQuery,
  TaskCondition,
  TaskCount,
  TaskField,
  TaskFilter,
  TaskPage,
} from "./read/list-tasks.ts";
export type {
  FoundTask,
  HistoryEntry,
  PayloadTexts,
  RefusedSubmission,
  StepRecord,
  TaskRecord,
} from "./read/read-task.ts";
export type { OldMonth } from "./retention/retention.ts";
export type {
  OperationsStore,
  SchedulerStore,
  StateStore,
  SubmissionStore,
  SupervisorStore,
} from "./roles.ts";
export {
  type FiredSchedules,
  offsetOf,
  type StoredFire,
  type StoredSchedule,
} from "./schedules/schedules.ts";
export type {
  HeldOutcome,
  HeldSignal,
  NewSignal,
  SentSignal,
  SignalPage,
  SignalRefusal,
  StoredSignal,
} from "./signals/signals.ts";
export type { FailureGroup, FailurePage, FailureQuery } from "./statistics/find-failures.ts";
export type {
  OpenState,
  OverviewFacts,
  RecentAlerts,
  ShownPause,
} from "./statistics/find-overview.ts";
export type {
  Statistics,
  StatisticsBucket,
  StatisticsProgress,
  StatisticsQuery,
  SubjectTotals,
  TotalsQuery,
} from "./statistics/find-statistics.ts";
export { announceInstance, type Instance, type SeenInstance } from "./statistics/instances.ts";
export { type FailureKind, fingerprintOf } from "./statistics/record-failures.ts";
export type { RolledUp } from "./statistics/roll-up.ts";
export {
  type EnqueuedRefusal,
  type InboxClaim,
  readRow,
} from "./submit/inbox.ts";
export { listenToInbox } from "./submit/listen-to-inbox.ts";
export type { EnqueuedSubmission, Labels, NewTask } from "./submit/new-task.ts";
export {
  readRepeat,
  readSubmission,
  SubmissionFault,
  type TargetWorkflow,
} from "./submit/read-submission.ts";
export { type SentInTransaction, signalTask } from "./submit/signal-in-transaction.ts";
export type {
  EarlySignal,
  EnqueuedSignal,
  EnqueuedSignalRefusal,
} from "./submit/signal-inbox.ts";
export {
  type SubmittedTask,
  type SubmittedTaskId,
  submitTasks,
  type TransactionClient,
} from "./submit/submit-in-transaction.ts";
export type { Submitted } from "./submit/submit-tasks.ts";
export type { AttemptFacts, LateReply, StepLimits, StepMove } from "./view/find-attempt-facts.ts";
export type { ChangedTask, ChangedTasks } from "./view/find-changed-tasks.ts";
export type { OutboxSize, PartitionSize } from "./view/find-sizes.ts";
export type { FollowedMove, FollowedTask, TaskStanding } from "./view/follow-tasks.ts";
export { type ContractDifference, differenceText } from "./workflows/contract-differences.ts";
export { type StepContracts, stepContracts } from "./workflows/output-contract.ts";
export {
  inputOfCall,
  type PatchedInput,
  type PatchTarget,
  patchInputs,
} from "./workflows/patched-input.ts";
export { resolveFault } from "./workflows/resolve-fault.ts";
export type {
  ActivationRequest,
  KnownAgent,
  WorkflowRecord,
  WorkflowRequest,
} from "./workflows/stored-workflows.ts";
export type { StoredWorkflow } from "./workflows/workflow-catalog.ts";
