export {
  checkAside,
  checkHere,
  type OpenChecker,
  type Soon,
  soon,
  UncompilableSchema,
} from "./aside/checker.ts";
export {
  contractGapsAside,
  contractHashesAside,
  definitionHashAside,
  findDefinitionFaults,
  flowAside,
  type JudgedDefinition,
  judgeDefinition,
  meansTheSameAside,
  readingAside,
} from "./aside/judge-aside.ts";
export {
  type ContractGap,
  contractGaps,
  gapText,
  isBreaking,
} from "./contract/contract-gaps.ts";
export {
  type AskedOperation,
  givenBack,
  givenBackOften,
  isGivenBack,
} from "./contract/given-back.ts";
export {
  contractHash,
  contractHashes,
  contractsOf,
  givenTo,
  type NeededContract,
  nameOfOperation,
  type OperationContract,
} from "./contract/operation-contract.ts";
export {
  type AnnouncingInstance,
  announcedContract,
  type KnownContract,
  type Reading,
  readingOf,
  readings,
} from "./contract/readers.ts";
export { compileForm, type FormCheck, openForm } from "./definition/check-form.ts";
export {
  compileInput,
  type FieldFault,
  faultSentence,
  type InputCheck,
  pointerPart,
} from "./definition/check-input.ts";
export {
  compileSignal,
  openSignal,
  type SignalCheck,
  signalContract,
} from "./definition/check-signal.ts";
export { checkTemplate } from "./definition/check-template.ts";
export { collectionPattern, isReservedCollection, routeNames } from "./definition/collections.ts";
export { definitionHash } from "./definition/definition-hash.ts";
export {
  agentNamePattern,
  approvalDeadlines,
  audiencePattern,
  definitionSchema,
  operationNamePattern,
  prepareForm,
} from "./definition/definition-schema.ts";
export {
  type CompiledSchema,
  placeOfError,
  prepareJudges,
  schemaCompiler,
} from "./definition/schema-compiler.ts";
export { unknownKeywords, unsupportedParts } from "./definition/schema-faults.ts";
export { schemaMeaning } from "./definition/schema-meaning.ts";
export {
  definitionChecks,
  definitionFaults,
  definitionsIn,
  readDefinition,
  refusedParts,
  validateDefinition,
} from "./definition/validate-definition.ts";
export { compileTaskInput, openTaskInput, type TaskInputCheck } from "./flow/check-missing.ts";
export { overlongWaits } from "./flow/longest-wait.ts";
export { endOfApproval, endOfSignal, returnedBy } from "./flow/taken-by.ts";
export { type OpenUse, valueFlow } from "./flow/value-flow.ts";
export { limits } from "./limits/limits.ts";
export { allowedVisible, FairnessKey, isVisible, loweredMark, Payload } from "./limits/parts.ts";
export { payloadFaults, payloadFaultsAt, payloadWords } from "./limits/payload-faults.ts";
export { printableText, readableText, storableText } from "./limits/storable-text.ts";
export { unboundedParts } from "./limits/unbounded-parts.ts";
export { AgentHeartbeat } from "./messages/agent-heartbeat.ts";
export { defineMessage, MalformedMessage, type MessageContract } from "./messages/message.ts";
export { changesOf, parseJson, withinDepth } from "./messages/parse-json.ts";
export { type ReplyAddress, readReplyAddress } from "./messages/reply-address.ts";
export { ReplyProbe } from "./messages/reply-probe.ts";
export { SignalRefused } from "./messages/signal-refused.ts";
export { StepCancel } from "./messages/step-cancel.ts";
export { StepProgress } from "./messages/step-progress.ts";
export { StepReply } from "./messages/step-reply.ts";
export { StepRequest } from "./messages/step-request.ts";
export {
  type AskedSubmission,
  askedInHeaders,
  askedInRow,
  labelNamePattern,
  Submission,
  submissionHeaderSchemas,
  submissionHeaders,
} from "./messages/submission.ts";
export { TaskApproval } from "./messages/task-approval.ts";
export { TaskRefused } from "./messages/task-refused.ts";
export { TaskSignal } from "./messages/task-signal.ts";
export { TaskAlert, TaskStatus } from "./messages/task-status.ts";
export {
  type CronTimes,
  calendarOf,
  nextInstants,
  zoneRules,
} from "./schedule/calendar.ts";
export {
  inputAt,
  Schedule,
  scheduleFaults,
  scheduleIdPattern,
  type WholeSchedule,
  wholeSchedule,
} from "./schedule/schedule.ts";
export { sampleValue } from "./schema/sample-value.ts";
export {
  agentOfReply,
  agentQueue,
  canaryQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  deliveryLimit,
  eventExchange,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  heartbeatRoute,
  isProbeRoute,
  isStatusQueue,
  ownReplyQueues,
  probeRoute,
  probeRoutes,
  replyBindings,
  replyExchange,
  replyQueue,
  replyQueues,
  replyRoute,
  requestExchange,
  signalExchange,
  signalQueue,
  statusExchange,
  storeQueue,
  submissionExchange,
  submissionQueue,
  unrecordedExchange,
  unrecordedQueue,
  wakeExchange,
  wakeQueue,
} from "./topology.ts";
