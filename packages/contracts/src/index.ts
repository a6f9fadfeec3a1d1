export { AgentHeartbeat } from "./agent-heartbeat.ts";
export { checkTemplate } from "./check-template.ts";
export { agentNamePattern, operationNamePattern } from "./definition-schema.ts";
export { limits } from "./limits.ts";
export { defineMessage, type MessageContract } from "./message.ts";
export { parseJson } from "./parse-json.ts";
export { payloadFaults } from "./payload-faults.ts";
export { StepCancel } from "./step-cancel.ts";
export { StepReply } from "./step-reply.ts";
export { StepRequest } from "./step-request.ts";
export { storableText } from "./storable-text.ts";
export { TaskRefused } from "./task-refused.ts";
export { TaskAlert, TaskStatus } from "./task-status.ts";
export {
  agentOfReply,
  agentQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  deliveryLimit,
  eventExchange,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  heartbeatRoute,
  isStatusQueue,
  markerQueue,
  ownReplyQueues,
  replyBindings,
  replyExchange,
  replyQueue,
  replyQueues,
  replyRoute,
  requestExchange,
  statusExchange,
  submissionExchange,
  submissionQueue,
  unrecordedExchange,
  unrecordedQueue,
  wakeExchange,
  wakeQueue,
} from "./topology.ts";
export { unboundedParts } from "./unbounded-parts.ts";
export { readDefinition, validateDefinition } from "./validate-definition.ts";
