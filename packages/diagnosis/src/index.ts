export { adviceFor } from "./advice.ts";
export {
  type AgentState,
  type Cause,
  type CauseKind,
  type RemoteState,
  type SystemFacts,
} from "./causes/cause.ts";
export { findCauses } from "./causes/find-causes.ts";
export { type Examination, type ExamineOptions, examine } from "./doctor/examine.ts";
export type { Finding } from "./doctor/finding.ts";
export { count } from "./print/count.ts";
export { explainInvariant } from "./verify/explanations.ts";
export { type ExplainedViolation, type VerifiedStore, verifyStore } from "./verify/verify-store.ts";
export { type Explanation, explain } from "./why/explain.ts";
export { type ExplainedTask, explainTask } from "./why/explain-task.ts";
export type { Facts } from "./why/facts.ts";
export type { BrokerAddress } from "./why/observe-broker.ts";
