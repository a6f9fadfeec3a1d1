export type {
  BatchOptions,
  Binding,
  BindResult,
  Broker,
  ConsumeOptions,
  Delivery,
  OutgoingMessage,
  PublishResult,
  QueueConsumer,
  SharedConsumer,
  SharedQueues,
  StalledConsumer,
} from "./broker.ts";
export { type BrokerOptimisations, type BrokerOptions, connectBroker } from "./connect-broker.ts";
export { brokerInBackground, connectInBackground } from "./connect-in-background.ts";
export { userOf } from "./connection/user-of.ts";
export type { KeptProperties } from "./consume/kept-properties.ts";
export { cancelHints, type WakeReason, wakeHint, wakeReasonOf } from "./hints.ts";
export { type CountedQueue, countQueues } from "./inspect/count-queues.ts";
export { cutConsumers } from "./inspect/cut-consumers.ts";
export {
  type BrokerFacts,
  type InspectBrokerOptions,
  inspectBroker,
} from "./inspect/inspect-broker.ts";
export type { ManagedQueue, ManagementFacts } from "./inspect/inspect-management.ts";
export type { QueueFacts } from "./inspect/inspect-queue.ts";
export { type Frame, openTap, type TapOptions } from "./inspect/open-tap.ts";
export { bodiesOf } from "./publish/bundle-messages.ts";
export {
  compareDefinitions,
  type Difference,
  type PasswordCheck,
} from "./topology/compare-definitions.ts";
export {
  applicationLimits,
  type BrokerRole,
  type BrokerUser,
  type Definitions,
  definitionsOf,
  hashPassword,
  isHashOf,
} from "./topology/definitions.ts";
export {
  importDefinitions,
  nothingFound,
  readDefinitions,
  removeDifference,
} from "./topology/managed-topology.ts";
export { declareTopology, type Topology, topologyOf } from "./topology/topology.ts";
