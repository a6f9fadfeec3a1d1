import {
  type AtOnce,
  brokerPort,
  type Host,
  type MemoryBroker,
  type MemoryStore,
  type SimulatedStore,
  storePort,
} from "@holdfast/testing/simulator";
import type { MessageJudge } from "./judge-messages.ts";
import type { Mutation } from "./mutation.ts";
import type { World } from "./world.ts";

interface Options {
  readonly memory: MemoryStore;
  /** The store as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly broker: MemoryBroker;
  readonly judge: MessageJudge;
  readonly mutation: Mutation;
}

/** What a process reaches store, broker and clock by. */
export type PortsOf = ReturnType<typeof openPorts>;

export function openPorts(world: World, options: Options) {
  const { memory, store, broker, judge, mutation } = options;
  return (host: Host) => {
    const stores = storePort(world, host, store);
    const brokers = brokerPort(world, host, { broker, judge });
    return {
      store: mutation.storePort?.(stores, memory) ?? stores,
      broker: mutation.brokerPort?.(brokers, host) ?? brokers,
      clock: mutation.clock?.(host.clock, host) ?? host.clock,
    };
  };
}
