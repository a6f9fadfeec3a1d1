import { requestExchange, statusExchange, wakeExchange } from "@holdfast/contracts";
import type { Broker, Delivery, OutgoingMessage, PublishResult } from "@holdfast/messaging";
import { nameOfMessage } from "./facts.ts";
import type { Host } from "./host.ts";
import type { MessageJudge } from "./judge-messages.ts";
import type { Consumer, MemoryBroker } from "./memory-broker.ts";
import type { World } from "./world.ts";

/** What the loops use of a broker. */
export type SimulatedBroker = Pick<
  Broker,
  | "publish"
  | "bind"
  | "consume"
  | "consumeBatches"
  | "consumeShared"
  | "inspect"
  | "keepMarker"
  | "isReady"
>;

type OpenDelivery = Delivery & { readonly tryAgain: () => void };

/** Takes deliveries for as long as a connection holds. */
interface Intake {
  take(delivery: OpenDelivery): void;
  /** The connection broke: what has not been begun is somebody else's now. */
  drop(): void;
}

interface Source {
  readonly queue: string;
  readonly priority: number;
}

interface Subscription {
  /** What is consumed on a new connection, as if it were one queue. */
  readonly sources: () => readonly Source[];
  readonly prefetch: number;
  readonly intake: Intake;
  consumers: readonly Consumer[];
}

const shortestRest = 100;
const longestRest = 1_000;
/** How long the publisher waits for a confirm, in milliseconds. */
const confirmWithin = 3_000;

interface Options {
  readonly broker: MemoryBroker;
  readonly judge: MessageJudge;
}

/** The broker as one process sees it: its connection may break, its confirms may not arrive. */
export function brokerPort(world: World, host: Host, { broker, judge }: Options): SimulatedBroker {
  const { random, timeline } = world;
  const subscriptions = new Set<Subscription>();
  /** Counts what was to be brought about; the last one counts. */
  let changes = 0;

  const open = (subscription: Subscription): void => {
    const { sources, prefetch, intake } = subscription;
    const take = (delivery: Delivery) => intake.take(delivery as OpenDelivery);
    subscription.consumers = sources().map(({ queue, priority }) =>
      broker.attach(queue, { host, prefetch, priority, take }),
    );
  };

  const disconnect = (): void => {
    port.isReady = false;
    broker.disown(host);
    for (const { consumers, intake } of subscriptions) {
      for (const consumer of consumers) broker.close(consumer);
      intake.drop();
    }
  };

  const connect = (): void => {
    if (port.isReady || !host.isAlive) return;
    port.isReady = true;
    world.tell(host.name, () => "has the broker again");
    for (const subscription of subscriptions) open(subscription);
  };

  const loseFor = (ms: number): void => {
    if (!port.isReady) return;
    world.tell(host.name, () => `loses the broker for ${ms} ms`);
    changes += 1;
    const mine = changes;
    disconnect();
    timeline.after(ms, () => changes === mine && host.act(connect));
  };

  host.onDeath(disconnect);
  world.onHeal(() => host.act(connect));

  const mayDisconnect = (): void => {
    if (world.strikes("brokerPartition")) loseFor(300 + random.below(2_500));
    else if (world.strikes("connectionLost")) loseFor(5 + random.below(100));
  };

  const subscribe = (subscription: Subscription): Promise<AsyncDisposable> => {
    const { promise, resolve } = Promise.withResolvers<AsyncDisposable>();
    host.act(() => {
      subscriptions.add(subscription);
      if (port.isReady) open(subscription);
      const subscribed = new AsyncDisposableStack();
      subscribed.defer(() => {
        subscriptions.delete(subscription);
        for (const consumer of subscription.consumers) broker.close(consumer);
      });
      resolve(subscribed);
    });
    return promise;
  };

  const port: SimulatedBroker & { isReady: boolean } = {
    isReady: true,
    publish(message) {
      const { promise, resolve } = Promise.withResolvers<PublishResult>();
      const answer = (result: PublishResult, ms: number): void => {
        timeline.after(ms, () =>
          host.actAtRisk(() => {
            if (result === "stored") judge.confirmed(message);
            resolve(result);
          }),
        );
      };
      host.actAtRisk(() => {
        judge.publishing(message, host);
        mayDisconnect();
        if (!port.isReady) return answer("unknown", 0);
        if (world.strikes("publishLost")) {
          world.tell(host.name, () => `publishes ${nameOfMessage(message)} in vain`);
          return answer("unknown", random.chance(0.5) ? confirmWithin : world.latency());
        }
        if (mayBeUnroutable(message) && world.strikes("publishUnroutable")) {
          return answer("unroutable", world.latency());
        }
        const isRouted = broker.store(message);
        // Nobody waits to hear what has become of a hint.
        if (message.fleeting === true) return resolve("stored");
        if (world.strikes("publishUnconfirmed")) {
          world.tell(host.name, () => `hears no confirm of ${nameOfMessage(message)}`);
          return answer("unknown", random.chance(0.5) ? confirmWithin : world.latency());
        }
        answer(isRouted ? "stored" : "unroutable", world.latency());
      });
      return promise;
    },
    // No submitter of a simulated order has a queue.
    bind: async () => false,
    consume: (queue, { prefetch }, handle) =>
      subscribe({ sources: only(queue), prefetch, intake: oneByOne(handle), consumers: [] }),
    consumeBatches: (queue, { prefetch, max }, handle) =>
      subscribe({
        sources: only(queue),
        prefetch,
        intake: inBatches(host, { max, handle }),
        consumers: [],
      }),
    // Queues are purged here, but no broker is wiped as a whole.
    keepMarker: () => Promise.resolve(new AsyncDisposableStack()),
    async consumeShared({ common, owned }, { prefetch, max }, handle) {
      // A plain value and no getter: see the timeline.
      const shared = Object.assign(new AsyncDisposableStack(), { own: null as string | null });
      const consumer = await subscribe({
        sources: () => {
          shared.own = broker.ownOneOf(owned, host);
          return [common, ...owned].map((queue) => ({
            queue,
            priority: queue === shared.own ? 1 : 0,
          }));
        },
        prefetch,
        intake: inBatches(host, { max, handle }),
        consumers: [],
      });
      shared.use(consumer);
      return shared;
    },
    inspect(queue) {
      const { promise, resolve } =
        Promise.withResolvers<Awaited<ReturnType<SimulatedBroker["inspect"]>>>();
      host.act(() => resolve(port.isReady ? broker.inspect(queue) : null));
      return promise;
    },
  };
  return port;
}

const mayBeUnroutable = ({ exchange }: OutgoingMessage): boolean =>
  exchange === requestExchange || exchange === wakeExchange || exchange === statusExchange;

const only = (queue: string) => () => [{ queue, priority: 0 }];

const oneByOne = (handle: (delivery: Delivery) => Promise<void>): Intake => ({
  take(delivery) {
    void handle(delivery).then(
      () => delivery.ack(),
      () => delivery.tryAgain(),
    );
  },
  drop() {},
});

interface BatchOptions {
  readonly max: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
}

/** One batch at a time. What fails is handed over again after a while, and is acknowledged at the end. */
function inBatches(host: Host, { max, handle }: BatchOptions): Intake {
  let waiting: OpenDelivery[] = [];
  const connection = { count: 0 };
  let isBusy = false;

  const rest = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.clock.after(ms, resolve);
    return promise;
  };

  const handleBatch = async (batch: readonly OpenDelivery[]): Promise<void> => {
    const mine = connection.count;
    for (let failures = 0; mine === connection.count; failures += 1) {
      try {
        await handle(batch);
        for (const delivery of batch) delivery.ack();
        return;
      } catch {
        await rest(Math.min(longestRest, shortestRest * 2 ** failures));
      }
    }
  };

  const pump = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await handleBatch(batch);
    }
    isBusy = false;
  };

  return {
    take(delivery) {
      waiting.push(delivery);
      if (!isBusy) void pump();
    },
    drop() {
      waiting = [];
      connection.count += 1;
    },
  };
}
