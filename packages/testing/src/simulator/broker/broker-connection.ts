import type { Broker, Delivery, QueueConsumer } from "@holdfast/messaging";
import type { Host } from "../host.ts";
import type { World } from "../world.ts";
import type { Intake, OpenDelivery } from "./intake.ts";
import type { MemoryBroker } from "./memory-broker.ts";
import type { Consumer } from "./message.ts";

interface Source {
  readonly queue: string;
  readonly priority: number;
}

interface Subscription {
  /** What is consumed on a new connection, as if it were one queue. */
  readonly sources: () => readonly Source[];
  prefetch: number;
  readonly intake: Intake;
  readonly publish: Broker["publish"];
  consumers: readonly Consumer[];
}

/** The connection of one process: it breaks, comes back, and takes its consumers along. */
export interface BrokerConnection {
  readonly isReady: boolean;
  /** The connection may break here. */
  readonly mayDisconnect: () => void;
  readonly subscribe: (subscription: Subscription) => Promise<QueueConsumer>;
}

/** Connects, and stays connected whenever the host lives and no fault says otherwise. */
export function brokerConnection(world: World, host: Host, broker: MemoryBroker): BrokerConnection {
  const { random, timeline } = world;
  const subscriptions = new Set<Subscription>();
  /** Counts what was to be brought about; the last one counts. */
  let changes = 0;

  const wire = openWire(world, host, () => loseFor(5));
  const ends = { world, host, broker, wire };
  const disconnect = (): void => {
    connection.isReady = false;
    wire.renew();
    broker.disown(host);
    for (const { consumers, intake } of subscriptions) {
      for (const consumer of consumers) broker.close(consumer);
      intake.drop();
    }
  };

  const connect = (): void => {
    if (connection.isReady || !host.isAlive) return;
    connection.isReady = true;
    world.tell(host.name, () => "has the broker again");
    for (const subscription of subscriptions) openConsumers(subscription, ends);
  };

  const loseFor = (ms: number): void => {
    if (!connection.isReady) return;
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

  const subscribe = (subscription: Subscription): Promise<QueueConsumer> =>
    acted(host, () => {
      subscriptions.add(subscription);
      if (connection.isReady) openConsumers(subscription, ends);
      const end = (): void => {
        subscriptions.delete(subscription);
        for (const consumer of subscription.consumers) broker.close(consumer);
      };
      return {
        limit: (prefetch) => acted(host, () => limitConsumers(subscription, broker, prefetch)),
        [Symbol.asyncDispose]: async () => end(),
      };
    });

  const connection = { isReady: true, mayDisconnect, subscribe };
  return connection;
}

type Wire = ReturnType<typeof openWire>;

/**
 * The way of what a process says to the broker. A fault has nothing more arrive on it; the broker
 * goes on delivering, and after a while drops the connection.
 */
function openWire(world: World, host: Host, drop: () => void) {
  const { random, timeline } = world;
  let isMute = false;
  /** Counts connections. */
  let current = 0;
  return {
    isMute: () => isMute,
    losesWords: (): boolean => {
      if (isMute || !world.strikes("acknowledgementLost")) return isMute;
      const ms = 200 + random.below(4_000);
      world.tell(host.name, () => `says nothing more that arrives, and is dropped in ${ms} ms`);
      isMute = true;
      const mine = current;
      timeline.after(ms, () => current === mine && host.act(drop));
      return true;
    },
    /** Begins anew, for the next connection. */
    renew(): void {
      isMute = false;
      current += 1;
    },
  };
}

interface Ends {
  readonly world: World;
  readonly host: Host;
  readonly broker: MemoryBroker;
  readonly wire: Wire;
}

/** How long the client waits for the confirm of an answer, in milliseconds. */
const confirmWithin = 3_000;

function openConsumers(subscription: Subscription, ends: Ends): void {
  const { world, host, broker, wire } = ends;
  const { losesWords } = wire;
  const { sources, prefetch, intake, publish } = subscription;
  const take = (delivery: Delivery) => intake.take(delivery as OpenDelivery);
  subscription.consumers = sources().map(({ queue, priority }) => {
    const answer: Broker["publish"] = (message) => {
      if (consumer.isOpen && !wire.isMute()) return publish(message);
      const { promise, resolve } = Promise.withResolvers<"unknown">();
      const ms = consumer.isOpen ? confirmWithin : 0;
      world.timeline.after(ms, () => host.act(() => resolve("unknown")));
      return promise;
    };
    const consumer = broker.attach(queue, { host, prefetch, priority, take, answer, losesWords });
    return consumer;
  });
}

/** What stays without a connection is the prefetch with which the next one begins. */
function limitConsumers(subscription: Subscription, broker: MemoryBroker, prefetch: number): void {
  subscription.prefetch = prefetch;
  for (const consumer of subscription.consumers) broker.limit(consumer, prefetch);
}

/** Resolves once the host has done it: never, if it is dead. */
function acted<Result>(host: Host, act: () => Result): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  host.act(() => resolve(act()));
  return promise;
}
