import { setTimeout as sleep } from "node:timers/promises";
import { TransientFault } from "@holdfast/domain";
import { type Channel, connect, type RecoveringChannelModel } from "amqplib";
import type { BatchOptions, Broker, ConsumeOptions, Delivery } from "./broker.ts";
import { batchesOf } from "./consume-batches.ts";
import { type ChannelLog, type KeptChannel, keepChannel } from "./keep-channel.ts";
import { publisher } from "./publisher.ts";
import { type OpenDelivery, toDelivery } from "./to-delivery.ts";
import { declareTopology, topologyOf } from "./topology.ts";

export interface BrokerOptions {
  readonly url: string;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /** `passive`: the operators own the topology, and everything is expected to be there. */
  readonly topology: "declare" | "passive";
  /** The Agents whose queues are declared. */
  readonly agents: readonly string[];
  readonly log: ChannelLog & { error(fields: object, message: string): void };
}

/** Seconds. Three missed ones end a connection that has gone silent. */
const heartbeat = 5;

/**
 * Connects to RabbitMQ, and stays connected: lost connections and channels come back by themselves,
 * with their consumers. One connection publishes and another consumes, because a broker in need
 * stops reading from those who publish. Throws `broker.unreachable` if it cannot be reached within
 * about half a minute. The caller owns the result and disposes of it.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { name, log, topology, agents } = options;
  await using stack = new AsyncDisposableStack();
  const outgoing = await open(options, "publish");
  stack.defer(() => close(outgoing.model));
  const incoming = await open(options, "consume");
  stack.defer(() => close(incoming.model));

  const declare = async (channel: Channel): Promise<void> => {
    if (topology === "declare") await declareTopology(channel, topologyOf(agents));
  };

  const messages = publisher(() => (outgoing.isBlocked() ? null : publishing.current));
  const publishing = stack.use(
    await keepChannel({
      name: `${name} publish`,
      create: () => outgoing.model.createConfirmChannel(),
      open: async (channel) => {
        messages.watch(channel);
        await declare(channel);
      },
      log,
    }),
  );
  const inspecting = stack.use(
    await keepChannel({
      name: `${name} inspect`,
      create: () => incoming.model.createChannel(),
      open: () => Promise.resolve(),
      log: { warn: () => {} }, // Asking for a queue that is not there closes the channel.
    }),
  );

  const consumers = new Set<KeptChannel<Channel>>();
  const subscribe = async (
    queue: string,
    { prefetch, closing }: ConsumeOptions & { readonly closing: () => Promise<void> },
    push: (delivery: OpenDelivery) => void,
  ): Promise<AsyncDisposable> => {
    let consumerTag = "";
    const kept = await keepChannel({
      name: `${name} ${queue}`,
      create: () => incoming.model.createChannel(),
      open: async (channel) => {
        await declare(channel);
        await channel.prefetch(prefetch);
        ({ consumerTag } = await channel.consume(queue, (message) => {
          // Null: the broker cancelled us, such as when the queue was deleted. Begin anew.
          if (message === null) void channel.close().catch(() => {});
          else push(toDelivery(channel, message));
        }));
      },
      closing: async (channel) => {
        await channel.cancel(consumerTag);
        await closing();
      },
      log,
    });
    consumers.add(kept);
    return {
      async [Symbol.asyncDispose]() {
        consumers.delete(kept);
        await kept[Symbol.asyncDispose]();
      },
    };
  };

  const owned = stack.move();
  return {
    publish: (message) => messages.publish(message),
    consume(queue, consumeOptions, handle) {
      const inHand = new Set<Promise<void>>();
      const closing = async () => void (await Promise.allSettled(inHand));
      return subscribe(queue, { ...consumeOptions, closing }, (delivery) => {
        const work = handleOne(delivery, handle, { queue, log }).finally(() => inHand.delete(work));
        inHand.add(work);
      });
    },
    consumeBatches(queue, { max, prefetch }: BatchOptions, handle) {
      const batches = batchesOf({ queue, max, handle, log });
      let channel: Channel | null = null;
      return subscribe(queue, { prefetch, closing: () => batches.stop() }, (delivery) => {
        if (delivery.channel !== channel) batches.forget();
        channel = delivery.channel;
        batches.push(delivery);
      });
    },
    async inspect(queue) {
      try {
        const found = await inspecting.current?.checkQueue(queue);
        return found === undefined
          ? null
          : { messages: found.messageCount, consumers: found.consumerCount };
      } catch {
        return null;
      }
    },
    get isReady() {
      const isUp = publishing.current !== null && !outgoing.isBlocked();
      return isUp && [...consumers].every(({ current }) => current !== null);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function handleOne(
  delivery: OpenDelivery,
  handle: (delivery: Delivery) => Promise<void>,
  { queue, log }: { readonly queue: string; readonly log: BrokerOptions["log"] },
): Promise<void> {
  try {
    await handle(delivery);
    delivery.ack();
  } catch (err) {
    log.error({ err, queue, messageId: delivery.messageId }, "message not handled");
    delivery.tryAgain();
  }
}

async function open({ url, name, log }: BrokerOptions, purpose: string) {
  const address = new URL(url);
  if (!address.searchParams.has("heartbeat")) {
    address.searchParams.set("heartbeat", String(heartbeat));
  }
  let blocked = false;
  const model = await connect(address.href, {
    // Without it each small message waits for the delayed ACK of the one before: 44 ms a hop.
    noDelay: true,
    keepAlive: true,
    timeout: 5_000,
    clientProperties: { connection_name: `${name} ${purpose}` },
    recovery: {
      initialDelay: 100,
      maxDelay: 2_000,
      jitter: 0.5,
      maxRetries: Number.POSITIVE_INFINITY,
      initialMaxRetries: 20,
    },
  }).catch((cause: unknown) => {
    const message = `RabbitMQ at ${address.host} cannot be reached: is it running, and is BROKER_URL right?`;
    throw new TransientFault("broker.unreachable", message, { cause });
  });
  model.on("error", (err) => log.warn({ err, connection: purpose }, "connection failed"));
  model.on("disconnect", (err) => {
    blocked = false;
    log.warn({ err, connection: purpose }, "connection lost");
  });
  model.on("blocked", (reason) => {
    blocked = true;
    log.warn({ reason, connection: purpose }, "connection blocked");
  });
  model.on("unblocked", () => {
    blocked = false;
  });
  return { model, isBlocked: () => blocked };
}

/** A broker that is gone does not answer to a goodbye. */
const close = async (model: RecoveringChannelModel): Promise<void> => {
  await Promise.race([model.close().catch(() => {}), sleep(2_000, undefined, { ref: false })]);
};
