export type { HandlerCall } from "./call-log.ts";
export type { Behaviour, Case, CaseFault, Expectations, StepExpectation } from "./cases/case.ts";
export { caseSchema } from "./cases/case-schema.ts";
export { type Coverage, coverageOf, type Paths, pathsOf } from "./cases/coverage.ts";
export { type ReadCase, readCase } from "./cases/read-case.ts";
export { CaseMismatch, type CaseResult, runCase } from "./cases/run-case.ts";
export {
  type AgentPoint,
  delayRequest,
  duplicateRequest,
  fail,
  type InjectedFault,
  kill,
  loseReply,
  loseRequest,
} from "./faults.ts";
export type { StepView, TaskView } from "./task-view.ts";
export {
  type TestDecision,
  type TestOptions,
  type TestRun,
  testWorkflow,
} from "./test-workflow.ts";
