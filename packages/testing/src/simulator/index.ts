export { brokerPort, type SimulatedBroker } from "./broker/broker-port.ts";
export { type MemoryBroker, memoryBroker } from "./broker/memory-broker.ts";
export type { BrokerWatcher, Message } from "./broker/message.ts";
export type { PublishWatcher } from "./broker/publish.ts";
export { type Host, type Role, startHost } from "./host.ts";
export {
  type Ports,
  printObservation,
  printState,
  runAgents,
  runScheduler,
  runSupervisor,
  type StateWatcher,
} from "./processes.ts";
export { type Random, seededRandom } from "./random.ts";
export { type Domain, realDomain } from "./store/domain.ts";
export { type MemoryStore, memoryStore } from "./store/memory-store.ts";
export { replaceStep, type StoredTask } from "./store/memory-task.ts";
export type { AtOnce, SimulatedStore } from "./store/simulated-store.ts";
export { storePort } from "./store/store-port.ts";
export type { StoreWatcher } from "./store/store-state.ts";
export type { StoredBreaker } from "./store/stored-breaker.ts";
export { type Timeline, timeline } from "./timeline.ts";
export { epoch, type PortFault, type World } from "./world.ts";
