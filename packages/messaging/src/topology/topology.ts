import {
  agentQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  deliveryLimit,
  eventExchange,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  replyBindings,
  replyExchange,
  replyQueues,
  requestExchange,
  signalExchange,
  signalQueue,
  statusExchange,
  storeQueue,
  submissionExchange,
  submissionQueue,
  unrecordedExchange,
  unrecordedQueue,
  wakeExchange,
  wakeQueue,
} from "@holdfast/contracts";
import type { Channel } from "amqplib";
import { ofExchange, ofQueue } from "../connection/in-time.ts";

export interface Queue {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
}

export interface Topology {
  readonly exchanges: readonly {
    readonly name: string;
    readonly type: "direct" | "topic" | "fanout";
  }[];
  readonly queues: readonly Queue[];
  readonly bindings: readonly {
    readonly exchange: string;
    readonly queue: string;
    readonly routingKey: string;
  }[];
}

/** Replicated, and a message that keeps killing its consumers leaves for `deadLetters`. */
const quorum = (name: string, deadLetters: string): Queue => ({
  name,
  arguments: {
    "x-queue-type": "quorum",
    "x-delivery-limit": deliveryLimit,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": deadLetters,
  },
});

/** Bytes of all messages that wait in one queue to which applications publish. */
const mostBytesOfApplications = 512 * 1024 * 1024;

/**
 * Refuses what does not fit (nack): one application would otherwise fill the broker's disk, and the
 * alarm of the disk stops every publisher.
 */
const refusing = ({ name, arguments: args }: Queue): Queue => ({
  name,
  arguments: {
    ...args,
    "x-max-length-bytes": mostBytesOfApplications,
    "x-overflow": "reject-publish",
  },
});

/**
 * The last resort: beyond its limit a message would be lost, and newer brokers have one of their
 * own.
 */
const lastResort = (name: string): Queue => ({
  name,
  arguments: { "x-queue-type": "quorum", "x-delivery-limit": 1_000_000 },
});

/**
 * A second hint says nothing new. Replicated for the sake of the queue, not of the hint: a classic
 * queue whose node is down can be neither declared nor consumed, and holds up every service that
 * starts.
 */
const coalescing = (name: string): Queue => ({
  name,
  arguments: { "x-queue-type": "quorum", "x-max-length": 1, "x-overflow": "drop-head" },
});

/** Messages that were not consumed in time are out of date. Replicated for the same reason. */
const transient = (name: string): Queue => ({
  name,
  arguments: { "x-queue-type": "quorum", "x-max-length": 10_000, "x-message-ttl": 30_000 },
});

/** Says something for as long as it is said again. Replicated for the same reason. */
const sign = (name: string): Queue => ({
  name,
  arguments: {
    "x-queue-type": "quorum",
    "x-max-length": 1,
    "x-overflow": "drop-head",
    "x-message-ttl": 2_000,
  },
});

/**
 * The queue that marks a virtual host as that of the state store with this id. Two stores have
 * different limits, but for one pair in 268 million; nothing is ever in it, and every release of
 * RabbitMQ compares this argument.
 */
export const queueOfStore = (id: string): Queue => ({
  name: storeQueue,
  arguments: { "x-queue-type": "quorum", "x-max-length": Number.parseInt(id.slice(0, 7), 16) + 1 },
});

/** The queue of one Agent, and how requests reach it. */
export const topologyOfAgent = (agent: string): Topology => ({
  exchanges: [],
  queues: [quorum(agentQueue(agent), expiredQueue)],
  bindings: [{ exchange: requestExchange, queue: agentQueue(agent), routingKey: agent }],
});

/** All queues and exchanges for these Agents. Fixed: there is never a queue for each task. */
export const topologyOf = (agents: readonly string[]): Topology => ({
  exchanges: [
    { name: replyExchange, type: "topic" },
    { name: heartbeatExchange, type: "topic" },
    { name: cancelExchange, type: "fanout" },
    { name: eventExchange, type: "topic" },
    { name: submissionExchange, type: "direct" },
    { name: signalExchange, type: "direct" },
    { name: requestExchange, type: "direct" },
    { name: wakeExchange, type: "fanout" },
    { name: statusExchange, type: "direct" },
    { name: unrecordedExchange, type: "fanout" },
  ],
  queues: [
    ...agents.flatMap((agent) => topologyOfAgent(agent).queues),
    ...replyQueues.map((queue) => quorum(queue, deadReplyQueue)),
    quorum(expiredQueue, deadRequestQueue),
    refusing(quorum(submissionQueue, deadRequestQueue)),
    refusing(quorum(signalQueue, deadRequestQueue)),
    lastResort(deadRequestQueue),
    lastResort(deadReplyQueue),
    coalescing(wakeQueue),
    transient(heartbeatQueue),
    sign(unrecordedQueue),
  ],
  bindings: [
    ...replyBindings,
    { exchange: heartbeatExchange, queue: heartbeatQueue, routingKey: "heartbeat.*" },
    { exchange: submissionExchange, queue: submissionQueue, routingKey: submissionQueue },
    { exchange: signalExchange, queue: signalQueue, routingKey: signalQueue },
    { exchange: wakeExchange, queue: wakeQueue, routingKey: "" },
    { exchange: unrecordedExchange, queue: unrecordedQueue, routingKey: "" },
    ...agents.flatMap((agent) => topologyOfAgent(agent).bindings),
  ],
});

/** Makes sure that everything is there. Fails when something is there with other properties. */
export async function declareTopology(channel: Channel, topology: Topology): Promise<void> {
  for (const { name, type } of topology.exchanges) {
    await ofExchange(name, channel.assertExchange(name, type, { durable: true }));
  }
  for (const { name, arguments: args } of topology.queues) {
    await ofQueue(name, channel.assertQueue(name, { durable: true, arguments: args }));
  }
  for (const { queue, exchange, routingKey } of topology.bindings) {
    await ofExchange(exchange, channel.bindQueue(queue, exchange, routingKey));
  }
}
