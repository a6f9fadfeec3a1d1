import { limits } from "@holdfast/contracts";
import type { Channel } from "amqplib";
import type { BatchOptions, Broker, ConsumeOptions } from "./broker.ts";
import { bundleMessages } from "./bundle-messages.ts";
import { handleBatches } from "./handle-batches.ts";
import { handleEach } from "./handle-each.ts";
import { type ChannelLog, keepChannel } from "./keep-channel.ts";
import { keepMarker } from "./keep-marker.ts";
import { openConnection } from "./open-connection.ts";
import { publisher } from "./publisher.ts";
import { ownOneOf, queueFilledBy } from "./sources.ts";
import { spareChannel } from "./spare-channel.ts";
import { subscriptions } from "./subscriptions.ts";
import { declareTopology, topologyOf } from "./topology.ts";

export interface BrokerOptions {
  readonly url: string;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /** `passive`: the operators own the topology, and everything is expected to be there. */
  readonly topology: "declare" | "passive";
  /** The Agents whose queues are declared. */
  readonly agents: readonly string[];
  /** The largest message that is read, in bytes. 1 MiB unless said otherwise. */
  readonly maxMessageBytes?: number;
  readonly log: ChannelLog & { error(fields: object, message: string): void };
}

/** Hints are small. */
const hintsInHand = 100;

interface Shares {
  readonly own: string | null;
  readonly common: string;
  readonly prefetch: number;
}

/** Of the queues of other consumers as many as keep them from growing: their owners take the rest. */
function shareOf(queue: string, { own, common, prefetch }: Shares): number {
  if (queue === (own ?? common)) return prefetch;
  return Math.max(1, Math.floor(prefetch / (queue === common ? 2 : 8)));
}

/**
 * Connects to RabbitMQ, and stays connected: lost connections and channels come back by themselves,
 * with their consumers. One connection publishes and another consumes, because a broker in need
 * stops reading from those who publish. Throws `broker.unreachable` if it cannot be reached within
 * half a minute, and `broker.refused` if it will not have us. The caller disposes of the result.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { url, name, log, topology, agents, maxMessageBytes = limits.messageBytes } = options;
  await using stack = new AsyncDisposableStack();
  const outgoing = stack.use(await openConnection({ url, name: `${name} publish`, log }));
  const incoming = stack.use(await openConnection({ url, name: `${name} consume`, log }));
  const closing = new AbortController();
  const { signal } = closing;
  const createChannel = () => incoming.createChannel();

  const declare = async (channel: Channel): Promise<void> => {
    if (topology === "declare") await declareTopology(channel, topologyOf(agents));
  };
  const messages = publisher(() => (outgoing.isBlocked ? null : publishing.current));
  const publishing = stack.use(
    await keepChannel({
      name: `${name} publish`,
      create: () => outgoing.createConfirmChannel(),
      open: async (channel) => {
        messages.watch(channel);
        await declare(channel);
      },
      closing: (channel) => messages.drained(channel),
      signal,
      log,
    }),
  );
  const consumers = subscriptions({ name, createChannel, declare, signal, log });
  const ask = spareChannel(createChannel);

  const within = ({
    maxBytes = maxMessageBytes,
    oversized = "reject",
  }: Partial<ConsumeOptions>) => ({
    maxBytes: Math.min(maxBytes, maxMessageBytes),
    oversized,
  });
  const inBatches = (
    queue: string,
    { max, gatherFor, bury }: BatchOptions,
    handle: Parameters<Broker["consumeBatches"]>[2],
  ) => handleBatches({ queue, max, gatherFor, bury, handle, log });

  // Disposed of first: a consumer that nobody disposed of would ask a closed connection for channels for ever.
  stack.defer(() => closing.abort());
  const parts = stack.move();
  return {
    publish: bundleMessages((message) => messages.publish(message)),
    consume: (queue, how, handle) =>
      consumers.subscribe({
        name: queue,
        sources: async () => [{ queue, prefetch: how.prefetch }],
        ...within(how),
        intake: handleEach({ queue, handle, log }),
      }),
    listen: (exchange, handle) =>
      consumers.subscribe({
        name: exchange,
        sources: async (channel) => [
          { queue: await queueFilledBy(channel, exchange), prefetch: hintsInHand },
        ],
        ...within({ maxBytes: limits.hintBytes }),
        intake: handleEach({ queue: exchange, handle, log }),
      }),
    consumeBatches: (queue, how, handle) =>
      consumers.subscribe({
        name: queue,
        sources: async () => [{ queue, prefetch: how.prefetch }],
        ...within(how),
        intake: inBatches(queue, how, handle),
      }),
    async consumeShared({ common, owned }, how, handle) {
      let own: string | null = null;
      const consumer = await consumers.subscribe({
        name: common,
        sources: async () => {
          own = await ownOneOf(owned, own, createChannel);
          return [common, ...owned].map((queue) => ({
            queue,
            priority: queue === own ? 1 : 0,
            prefetch: shareOf(queue, { own, common, prefetch: how.prefetch }),
          }));
        },
        ...within(how),
        intake: inBatches(common, how, handle),
      });
      return {
        get own() {
          return own;
        },
        [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose](),
      };
    },
    keepMarker: (queue, events) =>
      keepMarker({ name, queue, createChannel, signal, log, ...events }),
    async inspect(queue) {
      const found = await ask((channel) => channel.checkQueue(queue));
      return found && { messages: found.messageCount, consumers: found.consumerCount };
    },
    async bind({ exchange, queue, routingKey }) {
      return (await ask((channel) => channel.bindQueue(queue, exchange, routingKey))) !== null;
    },
    get standstills() {
      return consumers.standstills();
    },
    oldestMs: (queue) => consumers.oldestMs(queue),
    get isReady() {
      const isUp = outgoing.isUp && incoming.isUp && !outgoing.isBlocked;
      return isUp && publishing.current !== null && consumers.areAlive();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
