import { limits } from "@holdfast/contracts";
import {
  disposableStack,
  type Metrics,
  noMetrics,
  type ServerAccess,
  serverAccess,
} from "@holdfast/runtime";
import type { Channel, ConfirmChannel } from "amqplib";
import type { Broker } from "./broker.ts";
import type { VhostOwner } from "./connection/claim-vhost.ts";
import { keepCanaryQueue } from "./connection/keep-canary-queue.ts";
import { type ChannelLog, keepChannel } from "./connection/keep-channel.ts";
import { type Connection, openConnection } from "./connection/open-connection.ts";
import { consuming } from "./consume/consuming.ts";
import { subscriptions } from "./consume/subscriptions.ts";
import { measureConsuming, measurePublish } from "./metrics/measure-messages.ts";
import { bundleMessages } from "./publish/bundle-messages.ts";
import { publisher } from "./publish/publisher.ts";
import { queueOperations } from "./topology/queue-operations.ts";
import { declareTopology, topologyOf } from "./topology/topology.ts";

export interface BrokerOptions {
  /**
   * A URL, or what this process knows of the broker already: then all that have it connect by turns
   * while it is away.
   */
  readonly url: string | ServerAccess;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /** `passive`: the operators own the topology, and everything is expected to be there. */
  readonly topology: "declare" | "passive";
  /** The Agents whose queues are declared. */
  readonly agents: readonly string[];
  /** The state store that the virtual host must belong to; it is taken as it is unless given. */
  readonly owner?: VhostOwner;
  /** The largest message that is read, in bytes. 1 MiB unless said otherwise. */
  readonly maxMessageBytes?: number;
  readonly log: ChannelLog & {
    error(fields: object, message: string): void;
    info?(fields: object, message: string): void;
  };
  /** Optimisations, all on; a benchmark turns one off to measure what it gives. */
  readonly optimisations?: BrokerOptimisations;
  /** What counts messages; nothing unless given. */
  readonly metrics?: Metrics;
  /** Ends the wait for the broker, at the start of a service: then this rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface BrokerOptimisations {
  /** Messages that go the same way in one turn of the event loop share a message of the broker. */
  readonly bundles?: boolean;
}

/**
 * Connects to RabbitMQ, and stays connected: lost connections and channels come back by themselves,
 * with their consumers. One connection publishes and another consumes, because a broker in need
 * stops reading from those who publish. Throws `broker.unreachable` if it cannot be reached within
 * half a minute, and `broker.refused` if it will not have us. The caller disposes of the result.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, name, log, topology, agents, maxMessageBytes = limits.messageBytes } = options;
  const { metrics = noMetrics, signal: starting } = options;
  const owner = options.owner === undefined ? null : { ...options.owner, log };
  const server =
    typeof url === "string" ? serverAccess({ name: "broker", read: () => url, log, metrics }) : url;
  const isMeasured = metrics !== noMetrics;
  const { bundles = true } = options.optimisations ?? {};
  await using stack = disposableStack();
  const [outgoing, incoming] = await stack.useAll([
    openConnection({ server, owner, name: `${name} publish`, signal: starting }),
    openConnection({ server, owner, name: `${name} consume`, signal: starting }),
  ]);
  const closing = new AbortController();
  const { signal } = closing;
  const createChannel = () => incoming.createChannel();

  /** The Agents whose queues are declared. */
  const known = new Set(agents);
  const declare = async (channel: Channel): Promise<void> => {
    if (topology === "declare") await declareTopology(channel, topologyOf([...known]));
  };
  const measure = (publish: Broker["publish"]): Broker["publish"] =>
    isMeasured ? measurePublish(publish, metrics) : publish;
  const shared = { name, declare, measure, signal, log };
  const publishing = stack.use(
    await openPublishing({ ...shared, connection: outgoing, bundles, starting }),
  );
  const consumers = subscriptions({
    ...shared,
    createChannel: () => incoming.createConfirmChannel(),
    isBlocked: () => incoming.isBlocked || outgoing.isBlocked,
  });

  const consume = consuming({ consumers, createChannel, maxMessageBytes, log });
  // Disposed of first: a consumer that is not disposed of would ask a closed connection for
  // channels for ever.
  stack.defer(() => closing.abort());
  const parts = stack.move();
  return {
    publish: publishing.publish,
    ...(isMeasured ? measureConsuming(consume, metrics) : consume),
    keepCanaryQueue: (queue, events) =>
      keepCanaryQueue({ name, queue, createChannel, signal, starting, log, ...events }),
    ...queueOperations(createChannel, topology === "declare" ? (agent) => known.add(agent) : null),
    get stalledConsumers() {
      return consumers.stalledConsumers();
    },
    oldestMs: (queue) => consumers.oldestMs(queue),
    get isReady() {
      return incoming.isUp && publishing.isReady && consumers.areAlive();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

interface PublishingOptions {
  /** Nothing but publishing goes through it. */
  readonly connection: Connection;
  readonly name: string;
  /** Prepares each new channel. */
  readonly declare: (channel: ConfirmChannel) => Promise<void>;
  readonly bundles: boolean;
  /** Ends it: the connection is being closed. */
  readonly signal: AbortSignal;
  /** Ends the wait for the first channel. */
  readonly starting?: AbortSignal | undefined;
  readonly log: ChannelLog;
  /** Wraps the publishing of each message of the broker. */
  readonly measure: (publish: Broker["publish"]) => Broker["publish"];
}

interface Publishing extends Pick<Broker, "publish">, AsyncDisposable {
  /** Whether a message that is published now goes out at once. */
  readonly isReady: boolean;
}

/** Publishes on a channel that is kept open and replaced. Disposing waits for confirms. */
async function openPublishing(options: PublishingOptions): Promise<Publishing> {
  const { connection, name, declare, bundles, signal, starting, log } = options;
  const messages = publisher(
    () => (connection.isBlocked ? null : channel.current),
    () => channel.replace(),
  );
  const channel = await keepChannel({
    name: `${name} publish`,
    create: () => connection.createConfirmChannel(),
    open: async (opened) => {
      messages.watch(opened);
      await declare(opened);
    },
    closing: (last) => messages.drained(last),
    signal,
    starting,
    log,
  });
  const publish = options.measure((message) => messages.publish(message));
  return {
    publish: bundles ? bundleMessages(publish) : publish,
    get isReady() {
      return connection.isUp && !connection.isBlocked && channel.current !== null;
    },
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
