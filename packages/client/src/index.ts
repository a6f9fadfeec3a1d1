export type { ApprovalCalls } from "./approvals.ts";
export type { BulkCalls, NewBulkRequest } from "./bulk.ts";
export type { DeadLetterCalls } from "./dead-letters.ts";
export { ConnectionError, ProblemError, RequestError } from "./errors.ts";
export type { FollowOptions } from "./follow.ts";
export { type HoldfastClient, holdfastClient } from "./holdfast-client.ts";
export type { components, operations, paths } from "./openapi.ts";
export type { OperationCalls } from "./operations.ts";
export type { Answer, ClientOptions, Request } from "./request.ts";
export type { RetryOptions } from "./retry.ts";
export type { SignalCalls, TaskSignalCalls } from "./signals.ts";
export type { TaskCalls } from "./tasks.ts";
export type {
  ActOptions,
  Agent,
  AnyWorkflow,
  Approval,
  ApprovalFilter,
  ApprovalPage,
  Attempts,
  BulkForecast,
  BulkItem,
  BulkItemPage,
  BulkOperation,
  BulkOperationPage,
  Change,
  DeadLetter,
  DeadLetterAction,
  DeadLetterPage,
  Decision,
  DecisionCounted,
  Examination,
  Explanation,
  Failures,
  FailuresQuery,
  HistoryEntry,
  InputFor,
  InputPatch,
  KeyedSignal,
  ListedTask,
  ListedWorkflow,
  ListFilter,
  NewBulkOperation,
  OpenApproval,
  Overview,
  Pause,
  Remote,
  ResultFor,
  SearchQuery,
  Signal,
  SignalAccepted,
  SignalByKeyAccepted,
  SignalOptions,
  Statistics,
  StatisticsQuery,
  Step,
  StoredWorkflow,
  SubmitOptions,
  System,
  Task,
  TaskCount,
  TaskPage,
  TaskRef,
  TaskResult,
  TaskState,
  Verification,
  Wait,
} from "./types.ts";
