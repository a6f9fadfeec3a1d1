export type { HandlerCall } from "./call-log.ts";
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
export { type TestOptions, type TestRun, testWorkflow } from "./test-workflow.ts";
