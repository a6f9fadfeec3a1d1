export { deadLetter } from "./broken-deaths.ts";
export type {
  BatchOptions,
  Binding,
  Broker,
  ConsumeOptions,
  Delivery,
  OutgoingMessage,
  PublishResult,
  SharedConsumer,
  SharedQueues,
  Standstill,
} from "./broker.ts";
export { bodiesOf } from "./bundle-messages.ts";
export { cancelHints } from "./cancel-hints.ts";
export { type BrokerOptions, connectBroker } from "./connect-broker.ts";
export { brokerInBackground, connectInBackground } from "./connect-in-background.ts";
export { type BrokerRole, type BrokerUser, definitionsOf, hashPassword } from "./definitions.ts";
export {
  type BrokerFacts,
  type InspectBrokerOptions,
  inspectBroker,
  type QueueFacts,
} from "./inspect-broker.ts";
export type { ManagedQueue, ManagementFacts } from "./inspect-management.ts";
export { declareTopology, type Topology, topologyOf } from "./topology.ts";
export { userOf } from "./user-of.ts";
export { wakeHint } from "./wake-hint.ts";
