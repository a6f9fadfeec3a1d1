export { ConnectionError, ProblemError } from "./errors.ts";
export { type HoldfastClient, holdfastClient } from "./holdfast-client.ts";
export type { components, operations, paths } from "./openapi.ts";
export type { OperationCalls } from "./operations.ts";
export type { ClientOptions } from "./request.ts";
export type { RetryOptions } from "./retry.ts";
export type { TaskCalls } from "./tasks.ts";
export type {
  ActOptions,
  Agent,
  AnyWorkflow,
  HistoryEntry,
  InputFor,
  ListedTask,
  ListedWorkflow,
  ListFilter,
  Pause,
  Remote,
  ResultFor,
  SearchWish,
  Step,
  StoredWorkflow,
  SubmitOptions,
  Task,
  TaskCount,
  TaskPage,
  TaskRef,
  TaskResult,
  TaskState,
  Wait,
} from "./types.ts";
