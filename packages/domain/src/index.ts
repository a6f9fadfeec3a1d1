export {
  type ApprovalDecision,
  type ApprovalOutcome,
  approvalOutcomes,
  approvalOutput,
  decidedBy,
  excludedFrom,
  isExcluded,
  rejectionText,
  type Vote,
} from "./approval.ts";
export {
  type AttemptSign,
  type AttemptTimes,
  completeByOf,
  noteSign,
} from "./attempt-deadline.ts";
export type {
  AttemptOfTask,
  DecidedTask,
  DueStep,
  DueStepOfTask,
  EventOutcome,
  Outcome,
  ReportedEvent,
  ReportedTaskEvent,
  VersionedTask,
} from "./batch.ts";
export {
  type BreakerState,
  breakerStates,
  type Evidence,
  evidenceOf,
  type FailureStreak,
  longestThrottle,
  mustOpen,
  nextStreak,
  openForAfter,
  rampEnd,
  rampLimit,
  shortestThrottle,
} from "./breaker.ts";
export {
  type BulkPace,
  bulkAllowance,
  firstPacedFrom,
  nextItemIn,
  pacedAfter,
} from "./bulk/bulk-pace.ts";
export {
  advanceBulk,
  type BulkCounts,
  type BulkOutcome,
  type BulkProgress,
  type BulkState,
  bulkOutcomes,
  bulkStates,
  firstBulkState,
  hasBulkEnded,
  mayApply,
} from "./bulk/bulk-progress.ts";
export {
  type BulkAction,
  type BulkRequest,
  bulkActions,
  bulkRequestOf,
  type NewBulkRequest,
  wholeTaskEvents,
} from "./bulk/bulk-request.ts";
export {
  type BulkFacts,
  type BulkTarget,
  type BulkVerdict,
  bulkFactsOf,
  bulkVerdictOf,
} from "./bulk/bulk-verdict.ts";
export { failedStepRefusals, findFailedStep } from "./bulk/find-failed-step.ts";
export { evaluateCondition, refsOfCondition } from "./condition.ts";
export {
  controlCharacters,
  isPrintable,
  printablePattern,
  readablePattern,
  terminalText,
} from "./control-characters.ts";
export { decide } from "./decide.ts";
export {
  type BatchOptions,
  type DecidedBatch,
  decideBatch,
  type Folded,
  foldEvents,
  makesDone,
  type Unreadable,
} from "./decide-batch.ts";
export type { Decision, DecisionContext } from "./decision.ts";
export { agentOf, bandOfStep, changedSteps, laneOf, noLane, rankOf } from "./due-order.ts";
export {
  type Duration,
  distanceText,
  durationPattern,
  durationText,
  parseDuration,
} from "./duration.ts";
export { errorText } from "./error-text.ts";
export { backoff, requeuesUntilAlert } from "./failure.ts";
export {
  allowedFairness,
  closeFairnessGaps,
  type FairClock,
  type Fairness,
  type FairQueue,
  fairnessLimits,
  isFairnessKey,
  isFairnessWeight,
  rankFairSteps,
  strideOf,
  virtualTime,
} from "./fairness.ts";
export {
  type AgentCode,
  agentCode,
  areaOf,
  type CataloguedCode,
  type FaultCode,
  faultCodes,
  findFaultCode,
  isFaultArea,
  isOursAlone,
  type KnownCode,
} from "./fault-codes.ts";
export {
  ContractFault,
  Fault,
  type FaultOptions,
  PermanentFault,
  SetupFault,
  TransientFault,
} from "./faults.ts";
export { heartbeatLife, type Presence } from "./heartbeat-life.ts";
export { idempotencyKey } from "./idempotency-key.ts";
export { parseInstant, parseWhen, resolveWhen, type When, whenWords } from "./instant.ts";
export type { Json } from "./json.ts";
export {
  applyPatch,
  changeWords,
  type JsonPatch,
  type Patched,
  type PatchOperation,
  readChange,
} from "./json-patch.ts";
export {
  ChangedJson,
  canonicalJson,
  changesIn,
  keepsNumber,
  parseJsonText,
  type ValueFault,
} from "./json-text.ts";
export { type LaneLimit, type LaneLoad, laneLimit } from "./lane-limit.ts";
export { meantName, namesLike } from "./names-like.ts";
export { type OperatorRefusal, operatorRefusalOf } from "./operator-request.ts";
export { decodePercents } from "./percent-text.ts";
export {
  type Band,
  bandOf,
  bands,
  isPriority,
  type Priority,
  priorities,
  type Urgency,
} from "./priority.ts";
export {
  blockedAfter,
  type Calendar,
  type CatchUp,
  catchUps,
  type FireOutcome,
  fireOutcomes,
  type LastTask,
  type Overlap,
  overlaps,
  type PlannedFire,
  type PlannedFires,
  planFires,
  type ScheduleState,
  type ScheduleTerms,
} from "./schedule.ts";
export { summarise } from "./settle.ts";
export {
  isRemoteFault,
  type Source,
  saidBy,
  sourceOf,
  sourceOfMove,
  sourceWords,
} from "./source.ts";
export {
  type CountedBucket,
  type CountedEvent,
  type Counts,
  countEvents,
  counters,
  inCoarser,
  type Resolution,
  resolutions,
  startOf,
  widthOf,
} from "./statistics/count-events.ts";
export {
  addDuration,
  addHistograms,
  type DurationHistogram,
  durationBucket,
  durationBuckets,
  quantileOf,
} from "./statistics/duration-histogram.ts";
export { type IdSpan, idGaps } from "./statistics/id-gaps.ts";
export { messagePattern } from "./statistics/message-pattern.ts";
export {
  type BucketPlan,
  keptFor,
  mostBuckets,
  planBuckets,
  type ResolvedSpan,
  spansOf,
  type TimeSpan,
} from "./statistics/time-buckets.ts";
export {
  type AwaitingStep,
  constant,
  type Instant,
  isBegun,
  newStep,
  type PendingStep,
  type ProcessingStep,
  type Step,
  type StepState,
  stepStates,
} from "./step.ts";
export {
  asksAgent,
  audienceOf,
  remindAfterOf,
  type StepKindRules,
  signalOf,
  stepKinds,
  type WaitRules,
} from "./step-kinds.ts";
export {
  type Change,
  legalStepTransitions,
  nextStepState,
  type StepAction,
  savedStepTransitions,
  stepTransitions,
} from "./step-transitions.ts";
export { submit } from "./submit.ts";
export {
  type Goal,
  goalOfStep,
  idOfDigits,
  idPattern,
  isFinished,
  isId,
  legalTaskTransitions,
  openTaskStates,
  stepsOf,
  type Task,
  type TaskState,
  taskStates,
} from "./task.ts";
export type { AttemptRef, Effect, Rejection, TaskEvent, WaitEnder } from "./task-event.ts";
export {
  type AlertBody,
  type ApprovalBody,
  approvalBody,
  notificationsOfNew,
  type StatusBody,
  type TaskNotification,
} from "./task-notifications.ts";
export {
  type Expression,
  everyRefOf,
  expressionIn,
  indexIn,
  type Lookup,
  lookupIn,
  lookupInEnded,
  missingAt,
  parsePointer,
  type RefPlace,
  refPlaces,
  refsOf,
  resolveTemplate,
  stepOfRef,
  type TaskValues,
} from "./template.ts";
export { type BytesAsText, lineOfJsonFault, textOfBytes } from "./text-of-bytes.ts";
export {
  atSpan,
  fromTraceText,
  isSampled,
  readTraceContext,
  spanIdOf,
  type TraceContext,
  traceIdOf,
  traceText,
} from "./trace-context.ts";
export { refsOfDecisive } from "./wait-time.ts";
export {
  type ApprovalDefinition,
  type ApprovalTerms,
  agentsOfStep,
  type CallDefinition,
  type Condition,
  type CoolDownPolicy,
  callsOf,
  type DefinitionFormat,
  definitionFormat,
  type FairnessDefinition,
  type FaultPolicy,
  familyOf,
  formatOf,
  isCall,
  type Milliseconds,
  type OperationSchemas,
  operationsOfStep,
  type RemoteDefinition,
  type RetryPolicy,
  type SignalDefinition,
  type SignalTerms,
  type StepDefinition,
  type StepPolicy,
  signalsOf,
  type Template,
  type UndoDefinition,
  type WaitDefinition,
  type WaitTime,
  type WorkflowDefinition,
  workflowNamePattern,
} from "./workflow-definition.ts";
export {
  type AgentPlan,
  type ApprovalPlan,
  agentsOfLane,
  hasConditions,
  hasWaits,
  needsSubmitter,
  needsValues,
  type Pool,
  planWorkflow,
  poolName,
  type SignalPlan,
  type StepKind,
  type StepPlan,
  stepsWaitingFor,
  type TimePlan,
  undoNameOf,
  type WaitPlan,
  type WorkflowPlan,
} from "./workflow-plan.ts";
