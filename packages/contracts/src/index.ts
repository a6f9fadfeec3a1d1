export { defineMessage, type MessageContract } from "./message.ts";
export { payloadFaults } from "./payload-faults.ts";
export { StepReply } from "./step-reply.ts";
export { StepRequest } from "./step-request.ts";
export {
  agentQueue,
  deadReplyQueue,
  deadRequestQueue,
  deliveryLimit,
  expiredQueue,
  replyExchange,
  replyQueue,
  replyRoute,
  submissionQueue,
  wakeQueue,
} from "./topology.ts";
