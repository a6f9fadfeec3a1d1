export { adviceFor } from "./advice.ts";
export {
  type AgentState,
  type Cause,
  type CauseKind,
  causeKinds,
  type RemoteState,
  type SystemFacts,
} from "./causes/cause.ts";
export { findCauses } from "./causes/find-causes.ts";
export type { BrokerAddress } from "./causes/observe-broker.ts";
export {
  type BrokerView,
  emptyInbox,
  type SeenAgent,
  type SeenProcess,
  type SystemSources,
  systemFacts,
  unseenBroker,
} from "./causes/system-facts.ts";
export { type Examination, type ExamineOptions, examine } from "./doctor/examine.ts";
export type { Finding } from "./doctor/finding.ts";
export { count } from "./print/count.ts";
export { examinationResource, verificationResource } from "./resources.ts";
export { explainInvariant } from "./verify/explanations.ts";
export { type ExplainedViolation, type VerifiedStore, verifyStore } from "./verify/verify-store.ts";
export { type Explanation, explain } from "./why/explain.ts";
export { type ExplainedTask, explainTask } from "./why/explain-task.ts";
