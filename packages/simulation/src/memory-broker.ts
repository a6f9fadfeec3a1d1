import {
  agentQueue,
  deadReplyQueue,
  deadRequestQueue,
  deliveryLimit,
  expiredQueue,
  heartbeatQueue,
  replyBindings,
  replyExchange,
  replyQueues,
  requestExchange,
  wakeExchange,
  wakeQueue,
} from "@holdfast/contracts";
import type { Delivery, OutgoingMessage } from "@holdfast/messaging";
import { nameOfMessage } from "./facts.ts";
import type { Host } from "./host.ts";
import type { World } from "./world.ts";

/** A message in a queue, or in somebody's hands. */
export interface Message extends OutgoingMessage {
  /** When the broker drops it to the dead letters; null: never. */
  readonly expiresAt: number | null;
  readonly deathReason: string | undefined;
  readonly queue: string;
  /** How often it came back because its consumer failed. */
  returns: number;
  isRedelivered: boolean;
}

/** Who takes from a queue. Closed for good when its connection breaks. */
export interface Consumer {
  readonly queue: string;
  readonly host: Host;
  readonly prefetch: number;
  /** The highest gets what it can take, the others the rest. */
  readonly priority: number;
  readonly take: (delivery: Delivery) => void;
  readonly inHand: Set<Message>;
  isOpen: boolean;
}

/** Sees what goes through the broker. */
export interface BrokerWatcher {
  stored(message: Message): void;
  taken(message: Message, host: Host): void;
  acknowledged(message: Message, host: Host): void;
}

export interface MemoryBroker {
  /** False: no queue takes it. */
  store(message: OutgoingMessage): boolean;
  attach(
    queue: string,
    consumer: Pick<Consumer, "host" | "prefetch" | "priority" | "take">,
  ): Consumer;
  /** The first of these queues that is nobody's becomes the host's; null: all are somebody's. */
  ownOneOf(queues: readonly string[], host: Host): string | null;
  /** What is the host's is nobody's any more. */
  disown(host: Host): void;
  /** Whatever a consumer had in hand goes back to its queue. */
  close(consumer: Consumer): void;
  inspect(queue: string): { readonly messages: number; readonly consumers: number } | null;
  purge(queue: string): void;
  /** The queues in which something waits. */
  filledQueues(): readonly string[];
  /** How many messages are about that somebody must do something with; hints do not count. */
  readonly outstanding: number;
}

interface Queue {
  readonly name: string;
  readonly deadLetters: string | null;
  ready: Message[];
  readonly consumers: Set<Consumer>;
}

interface Options {
  readonly agents: readonly string[];
  readonly watcher: BrokerWatcher;
}

/** A hint is nothing that anybody must do anything with. */
const counts = ({ queue }: Message): number => (queue === wakeQueue ? 0 : 1);

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

/** By the first word of its route. */
const queuesOfReplies: ReadonlyMap<string | undefined, string> = new Map(
  replyBindings.map(({ queue, routingKey }) => [routingKey.split(".")[0], queue]),
);

const queueFor = ({ exchange, routingKey }: OutgoingMessage): string | undefined =>
  exchange === replyExchange
    ? queuesOfReplies.get(routingKey.split(".")[0])
    : (queuesOf[exchange]?.(routingKey) ?? routingKey);

const queuesOf: Readonly<Record<string, (routingKey: string) => string>> = {
  [requestExchange]: agentQueue,
  [wakeExchange]: () => wakeQueue,
};

/** Queues with acknowledgements, expiration, delivery limits and dead letters, and their troubles. */
export function memoryBroker(world: World, { agents, watcher }: Options): MemoryBroker {
  const { random, timeline } = world;
  const deadLettersOf: readonly (readonly [string, string | null])[] = [
    ...agents.map((name) => [agentQueue(name), expiredQueue] as const),
    ...replyQueues.map((name) => [name, deadReplyQueue] as const),
    [expiredQueue, deadRequestQueue],
    [deadReplyQueue, null],
    [deadRequestQueue, null],
    [heartbeatQueue, null],
    [wakeQueue, null],
  ];
  const queues = new Map<string, Queue>(
    deadLettersOf.map(([name, deadLetters]) => [
      name,
      { name, deadLetters, ready: [], consumers: new Set() },
    ]),
  );
  const owners = new Map<string, Host>();
  const forget = (message: Message): void => {
    broker.outstanding -= counts(message);
  };

  const bury = (message: Message, reason: string): void => {
    forget(message);
    const to = queues.get(message.queue)?.deadLetters;
    world.tell("broker", () => `${nameOfMessage(message)}: ${reason} in ${message.queue}`);
    if (to === null || to === undefined) return;
    const deathReason = message.deathReason ?? reason;
    put({ ...message, queue: to, expiresAt: null, deathReason, returns: 0, isRedelivered: false });
  };

  const put = (message: Message): void => {
    broker.outstanding += counts(message);
    enqueue(message);
  };

  const enqueue = (message: Message): void => {
    const queue = queues.get(message.queue) as Queue;
    if (queue.name === wakeQueue) queue.ready = [];
    queue.ready.push(message);
    pump(queue);
    const { expiresAt } = message;
    if (expiresAt === null || !queue.ready.includes(message)) return;
    timeline.after(expiresAt - timeline.now, () => buryExpired(queue));
  };

  const buryExpired = (queue: Queue): void => {
    if (!queue.ready.some((message) => isExpired(message, timeline.now))) return;
    const dead = queue.ready.filter((message) => isExpired(message, timeline.now));
    queue.ready = queue.ready.filter((message) => !dead.includes(message));
    for (const message of dead) bury(message, "expired");
  };

  const pump = (queue: Queue): void => {
    buryExpired(queue);
    while (queue.ready.length > 0) {
      const consumer = idleConsumer(queue);
      if (consumer === undefined) break;
      // The next one is somebody else's turn.
      queue.consumers.delete(consumer);
      queue.consumers.add(consumer);
      const isJumping = queue.ready.length > 1 && world.strikes("messageReordered");
      const index = isJumping ? random.below(queue.ready.length) : 0;
      const [message] = queue.ready.splice(index, 1) as [Message];
      hand(message, consumer);
    }
  };

  const hand = (message: Message, consumer: Consumer): void => {
    consumer.inHand.add(message);
    timeline.after(world.latency(), () =>
      consumer.host.act(() => {
        if (!consumer.isOpen) return;
        watcher.taken(message, consumer.host);
        consumer.take(toDelivery(message, consumer));
      }),
    );
  };

  const giveBack = (message: Message, failed: boolean): void => {
    message.isRedelivered = true;
    if (failed) message.returns += 1;
    if (message.returns > deliveryLimit) bury(message, "delivery_limit");
    else enqueue(message);
  };

  const toDelivery = (message: Message, consumer: Consumer): Delivery => {
    /** On a connection that broke nothing can be settled: the message is with somebody else. */
    const settle = (how: () => void) => (): void =>
      consumer.host.act(() => {
        if (!consumer.inHand.delete(message)) return;
        how();
        pump(queues.get(message.queue) as Queue);
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
      deathReason: message.deathReason,
      redelivered: message.isRedelivered,
      isCurrent: () => consumer.isOpen && !message.isRedelivered,
      whenSettled: () => Promise.resolve(),
      isBundled: false,
      ack: settle(() => {
        watcher.acknowledged(message, consumer.host);
        forget(message);
      }),
      reject: settle(() => bury(message, "rejected")),
      giveBack: settle(() => giveBack(message, false)),
      tryAgain: settle(() => giveBack(message, true)),
    } as Delivery;
  };

  const close = (consumer: Consumer): void => {
    if (!consumer.isOpen) return;
    consumer.isOpen = false;
    queues.get(consumer.queue)?.consumers.delete(consumer);
    const messages = [...consumer.inHand];
    consumer.inHand.clear();
    for (const message of messages) giveBack(message, true);
  };

  const broker: MemoryBroker & { outstanding: number } = {
    filledQueues: () =>
      [...queues.values()].flatMap(({ name, ready }) => (ready.length > 0 ? [name] : [])),
    outstanding: 0,
    close,
    store(outgoing) {
      const name = queueFor(outgoing);
      if (name === undefined || !queues.has(name)) return false;
      const { expirationMs } = outgoing;
      const expiresAt = expirationMs === undefined ? null : timeline.now + expirationMs;
      const message: Message = {
        ...outgoing,
        queue: name,
        expiresAt,
        deathReason: undefined,
        returns: 0,
        isRedelivered: false,
      };
      watcher.stored(message);
      if (name !== wakeQueue && world.strikes("messageLost")) {
        world.tell("broker", () => `${nameOfMessage(message)} is lost`);
        return true;
      }
      if (world.strikes("messageLate")) {
        broker.outstanding += counts(message);
        const ms = random.below(1_500);
        world.tell("broker", () => `${nameOfMessage(message)} is ${ms} ms late`);
        timeline.after(ms, () => enqueue(message));
      } else {
        put(message);
      }
      if (name !== wakeQueue && world.strikes("messageDoubled")) {
        world.tell("broker", () => `${nameOfMessage(message)} is doubled`);
        message.isRedelivered = true;
        put({ ...message });
      }
      return true;
    },
    attach(name, options) {
      const consumer = { ...options, queue: name, inHand: new Set<Message>(), isOpen: true };
      const queue = queues.get(name) as Queue;
      queue.consumers.add(consumer);
      pump(queue);
      return consumer;
    },
    ownOneOf(names, host) {
      const own = names.find((name) => !owners.has(name)) ?? null;
      if (own !== null) owners.set(own, host);
      return own;
    },
    disown(host) {
      for (const [name, owner] of owners) if (owner === host) owners.delete(name);
    },
    inspect(name) {
      const queue = queues.get(name);
      if (queue === undefined) return null;
      return { messages: queue.ready.length, consumers: queue.consumers.size };
    },
    purge(name) {
      const queue = queues.get(name);
      if (queue === undefined || queue.ready.length === 0) return;
      world.tell("broker", () => `${name} is purged of ${queue.ready.length}`);
      for (const message of queue.ready) forget(message);
      queue.ready = [];
    },
  };
  return broker;
}
