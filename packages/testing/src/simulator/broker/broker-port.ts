import type { Broker } from "@holdfast/messaging";
import { disposableStack } from "@holdfast/runtime";
import type { Host } from "../host.ts";
import type { World } from "../world.ts";
import { brokerConnection } from "./broker-connection.ts";
import { inBatches, oneByOne } from "./intake.ts";
import type { MemoryBroker } from "./memory-broker.ts";
import { type PublishWatcher, publishing } from "./publish.ts";

/** What the loops use of a broker. */
export type SimulatedBroker = Pick<
  Broker,
  | "publish"
  | "bind"
  | "consume"
  | "consumeBatches"
  | "consumeShared"
  | "declareAgent"
  | "inspect"
  | "keepCanaryQueue"
  | "isReady"
  | "oldestMs"
>;

interface Watched {
  readonly broker: MemoryBroker;
  readonly judge: PublishWatcher;
}

/** The broker as one process sees it: its connection may break, its confirms may not arrive. */
export function brokerPort(world: World, host: Host, { broker, judge }: Watched): SimulatedBroker {
  const connection = brokerConnection(world, host, broker);
  const publish = publishing(world, host, { broker, judge, connection });
  // The same object, whose `isReady` changes, and no getter: see the timeline.
  return Object.assign(connection, {
    publish,
    // No submitter of a simulated order has a queue.
    bind: async () => "refused",
    consume: (queue, { prefetch }, handle) =>
      connection.subscribe({
        sources: only(queue),
        prefetch,
        intake: oneByOne(handle),
        publish,
        consumers: [],
      }),
    consumeBatches: (queue, { prefetch, max }, handle) =>
      connection.subscribe({
        sources: only(queue),
        prefetch,
        intake: inBatches(host, { max, handle }),
        publish,
        consumers: [],
      }),
    // One batch at a time, so that nothing is recorded before what came before it.
    oldestMs: () => 0,
    // Every Agent has its queue from the beginning.
    declareAgent: async () => false,
    // Queues are purged here, but no broker is wiped as a whole.
    keepCanaryQueue: () => Promise.resolve(disposableStack()),
    async consumeShared({ common, owned }, { prefetch, max }, handle) {
      // A plain value and no getter: see the timeline.
      const shared = Object.assign(disposableStack(), { own: null as string | null });
      const consumer = await connection.subscribe({
        sources: () => {
          shared.own = broker.claimExclusive(owned, host);
          return [common, ...owned].map((queue) => ({
            queue,
            priority: queue === shared.own ? 1 : 0,
          }));
        },
        prefetch,
        intake: inBatches(host, { max, handle }),
        publish,
        consumers: [],
      });
      shared.use(consumer);
      return shared;
    },
    inspect(queue) {
      const { promise, resolve } =
        Promise.withResolvers<Awaited<ReturnType<SimulatedBroker["inspect"]>>>();
      host.act(() => resolve(connection.isReady ? broker.inspect(queue) : null));
      return promise;
    },
  } satisfies Omit<SimulatedBroker, "isReady">);
}

const only = (queue: string) => () => [{ queue, priority: 0 }];
