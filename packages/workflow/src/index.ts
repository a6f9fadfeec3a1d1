export {
  type Agent,
  type AgentContract,
  type AgentOptions,
  type Call,
  contract,
  contractOf,
  defineAgent,
  type Operation,
  type Operations,
} from "./agent.ts";
export type { ApproveOptions, Approver, EndedApproval, Excluded } from "./approval.ts";
export {
  and,
  type Conditional,
  equals,
  exists,
  greaterThan,
  isIn,
  lessThan,
  not,
  or,
} from "./conditions.ts";
export {
  type DefinedSchedule,
  defineSchedule,
  type ScheduleOptions,
  scheduledAt,
} from "./define-schedule.ts";
export {
  type AddStep,
  defineWorkflow,
  type EndedSignal,
  type EndedWait,
  type Plan,
  type SleepOptions,
  type WaitOptions,
  type Workflow,
  type WorkflowName,
  type WorkflowOptions,
} from "./define-workflow.ts";
export { type Duration, toMilliseconds } from "./duration.ts";
export { concat, fallback } from "./expressions.ts";
export type { PooledAgent } from "./pool.ts";
export {
  at,
  present,
  type Ref,
  type ResultOf,
  type Template,
  type WholeTemplate,
} from "./ref.ts";
export { type InputOf, jsonSchemaOf, type OutputOf, type Schema } from "./schema.ts";
export type {
  CoolDownOptions,
  RetryOptions,
  StepDefaults,
  StepOptions,
  UndoOptions,
} from "./step-options.ts";
