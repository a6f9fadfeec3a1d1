export {
  ContractFault,
  Fault,
  type FaultOptions,
  PermanentFault,
  TransientFault,
} from "./faults.ts";
export type { Json } from "./json.ts";
export {
  type Condition,
  type CoolDownPolicy,
  definitionFormat,
  type Milliseconds,
  type RetryPolicy,
  type StepDefinition,
  type StepPolicy,
  type Template,
  type UndoDefinition,
  type WorkflowDefinition,
} from "./workflow-definition.ts";
