import { deliveryLimit, heartbeatQueue, wakeQueue } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { World } from "../world.ts";
import type { BrokerWatcher, Consumer, Message } from "./message.ts";
import { nameOfMessage } from "./name-of-message.ts";

export interface Queue {
  readonly name: string;
  readonly deadLetters: string | null;
  ready: Message[];
  readonly consumers: Set<Consumer>;
  /** The instant until which it gives nothing out, as a queue without a leader. */
  heldUntil: number;
}

/** All that the broker holds. */
export interface BrokerState {
  readonly world: World;
  readonly watcher: BrokerWatcher;
  readonly queues: ReadonlyMap<string, Queue>;
  /** How many messages are still to be handled; hints and heartbeats do not count. */
  outstanding: number;
  /** The instant until which the broker is short of memory or disk, and takes nothing. */
  inNeedUntil: number;
}

/** Returns 1 for a message that must be handled; neither a hint nor a heartbeat need be. */
export const counts = ({ queue }: Message): number =>
  queue === wakeQueue || queue === heartbeatQueue ? 0 : 1;

const isExpired = ({ expiresAt }: Message, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

function idleConsumer({ consumers }: Queue): Consumer | undefined {
  let first: Consumer | undefined;
  for (const consumer of consumers) {
    if (consumer.inHand.size >= consumer.prefetch) continue;
    if (first === undefined || consumer.priority > first.priority) first = consumer;
  }
  return first;
}

/** The message is handled, lost or dead. */
export function forget(state: BrokerState, message: Message): void {
  state.outstanding -= counts(message);
}

function bury(state: BrokerState, message: Message, reason: string): void {
  forget(state, message);
  const to = state.queues.get(message.queue)?.deadLetters;
  state.world.tell("broker", () => `${nameOfMessage(message)}: ${reason} in ${message.queue}`);
  if (to === null || to === undefined) return;
  const deathReason = message.deathReason ?? reason;
  put(state, {
    ...message,
    queue: to,
    expiresAt: null,
    deathReason,
    returns: 0,
    isRedelivered: false,
  });
}

/** Puts a message into its queue, and counts it. */
export function put(state: BrokerState, message: Message): void {
  state.outstanding += counts(message);
  enqueue(state, message);
}

/** Puts a message that is counted into its queue. */
export function enqueue(state: BrokerState, message: Message): void {
  const queue = state.queues.get(message.queue) as Queue;
  if (queue.name === wakeQueue) queue.ready = [];
  queue.ready.push(message);
  state.watcher.waiting(message, !message.isRedelivered);
  pump(state, queue);
  const { expiresAt } = message;
  if (expiresAt === null || !queue.ready.includes(message)) return;
  state.world.timeline.after(expiresAt - state.world.timeline.now, () => buryExpired(state, queue));
}

function buryExpired(state: BrokerState, queue: Queue): void {
  if (!queue.ready.some((message) => isExpired(message, state.world.timeline.now))) return;
  const dead = queue.ready.filter((message) => isExpired(message, state.world.timeline.now));
  queue.ready = queue.ready.filter((message) => !dead.includes(message));
  for (const message of dead) bury(state, message, "expired");
}

/** Gives what waits to the consumers that have room. */
function pump(state: BrokerState, queue: Queue): void {
  if (state.world.timeline.now < queue.heldUntil) return;
  buryExpired(state, queue);
  while (queue.ready.length > 0) {
    const consumer = idleConsumer(queue);
    if (consumer === undefined) break;
    // The next message goes to the next consumer.
    queue.consumers.delete(consumer);
    queue.consumers.add(consumer);
    const isJumping = queue.ready.length > 1 && state.world.strikes("messageReordered");
    const index = isJumping ? state.world.random.below(queue.ready.length) : 0;
    const [message] = queue.ready.splice(index, 1) as [Message];
    if (isJumping) for (const overtaken of queue.ready) state.watcher.waiting(overtaken, false);
    hand(state, message, consumer);
  }
}

function hand(state: BrokerState, message: Message, consumer: Consumer): void {
  consumer.inHand.add(message);
  state.watcher.waiting(message, false);
  state.world.timeline.after(state.world.latency(), () =>
    consumer.host.act(() => {
      if (!consumer.isOpen) return;
      state.watcher.taken(message, consumer.host);
      consumer.take(toDelivery(state, message, consumer));
    }),
  );
}

function requeue(state: BrokerState, message: Message, failed: boolean): void {
  message.isRedelivered = true;
  if (failed) message.returns += 1;
  if (message.returns > deliveryLimit) bury(state, message, "delivery_limit");
  else enqueue(state, message);
}

function toDelivery(state: BrokerState, message: Message, consumer: Consumer): Delivery {
  /**
   * Settles the message, but not on a connection that broke: there it has gone to another consumer.
   */
  const settle = (how: () => void) => (): void =>
    consumer.host.act(() => {
      if (!consumer.inHand.has(message) || consumer.losesWords()) return;
      consumer.inHand.delete(message);
      how();
      pump(state, state.queues.get(message.queue) as Queue);
    });
  return {
    body: message.body,
    size: message.body.length,
    type: message.type,
    messageId: message.messageId,
    correlationId: message.correlationId,
    userId: message.userId,
    replyTo: message.replyTo,
    routingKey: message.routingKey,
    isUrgent: message.isUrgent ?? false,
    deathReason: message.deathReason,
    redelivered: message.isRedelivered,
    isCurrent: () => consumer.isOpen && !message.isRedelivered,
    whenAcknowledged: () => Promise.resolve(),
    answer: consumer.answer,
    isBundled: false,
    ack: settle(() => {
      state.watcher.acknowledged(message, consumer.host);
      forget(state, message);
    }),
    reject: settle(() => bury(state, message, "rejected")),
    requeue: settle(() => requeue(state, message, false)),
    retry: settle(() => requeue(state, message, true)),
  } as Delivery;
}

/** Has a queue give nothing out until then. */
export function hold(state: BrokerState, queue: Queue, until: number): void {
  queue.heldUntil = until;
  state.world.timeline.after(until - state.world.timeline.now, () => pump(state, queue));
}

/** Changes how much the consumer takes at a time; with 0 it is cancelled. */
export function limit(state: BrokerState, consumer: Consumer, prefetch: number): void {
  const queue = state.queues.get(consumer.queue);
  if (!consumer.isOpen || queue === undefined) return;
  consumer.prefetch = prefetch;
  if (prefetch === 0) queue.consumers.delete(consumer);
  else queue.consumers.add(consumer);
  pump(state, queue);
}

/** Requeues what the consumer has not settled: its connection broke, or it ended. */
export function close(state: BrokerState, consumer: Consumer): void {
  if (!consumer.isOpen) return;
  consumer.isOpen = false;
  state.queues.get(consumer.queue)?.consumers.delete(consumer);
  const messages = [...consumer.inHand];
  consumer.inHand.clear();
  for (const message of messages) requeue(state, message, true);
}
