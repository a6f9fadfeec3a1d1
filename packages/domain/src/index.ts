export type { Change } from "./change.ts";
export { evaluateCondition, refsOfCondition } from "./condition.ts";
export { decide } from "./decide.ts";
export type { Decision, Surroundings } from "./decision.ts";
export { backoff } from "./failure.ts";
export {
  ContractFault,
  Fault,
  type FaultOptions,
  PermanentFault,
  SetupFault,
  TransientFault,
} from "./faults.ts";
export { type Folded, foldEvents, type Outcome, type ReportedEvent } from "./fold-events.ts";
export { idempotencyKey } from "./idempotency-key.ts";
export type { Json } from "./json.ts";
export {
  constant,
  type Instant,
  newStep,
  type PendingStep,
  type ProcessingStep,
  type Step,
  type StepState,
  stepStates,
} from "./step.ts";
export {
  legalStepTransitions,
  nextStepState,
  type StepAction,
  savedStepTransitions,
  stepTransitions,
} from "./step-transitions.ts";
export { submit } from "./submit.ts";
export { summarise } from "./summarise.ts";
export {
  type Goal,
  goalOfStep,
  isFinished,
  legalTaskTransitions,
  stepsOf,
  type Task,
  type TaskState,
  taskStates,
} from "./task.ts";
export type { AttemptRef, Effect, Rejection, TaskEvent } from "./task-event.ts";
export {
  type Lookup,
  lookupIn,
  refsOf,
  resolveTemplate,
  stepOfRef,
  type TaskValues,
} from "./template.ts";
export {
  type Condition,
  type CoolDownPolicy,
  definitionFormat,
  type FaultPolicy,
  type Milliseconds,
  type RetryPolicy,
  type StepDefinition,
  type StepPolicy,
  type Template,
  type UndoDefinition,
  type WorkflowDefinition,
} from "./workflow-definition.ts";
export {
  hasConditions,
  planWorkflow,
  type StepKind,
  type StepPlan,
  undoNameOf,
  type WorkflowPlan,
} from "./workflow-plan.ts";
