import {
  agentQueue,
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  replyBindings,
  replyExchange,
  replyQueues,
  requestExchange,
  wakeExchange,
  wakeQueue,
} from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import type { Host } from "../host.ts";
import type { World } from "../world.ts";
import type { BrokerWatcher, Consumer, Message } from "./message.ts";
import { nameOfMessage } from "./name-of-message.ts";
import {
  type BrokerState,
  close,
  counts,
  enqueue,
  forget,
  hold,
  limit,
  put,
  type Queue,
} from "./queues.ts";

/** All queues, and for each the queue of its dead letters; null: it drops them. */
const queuesWithDeadLetters = (
  agents: readonly string[],
): readonly (readonly [name: string, deadLetters: string | null])[] => [
  ...agents.map((name) => [agentQueue(name), expiredQueue] as const),
  ...replyQueues.map((name) => [name, deadReplyQueue] as const),
  [expiredQueue, deadRequestQueue],
  [deadReplyQueue, null],
  [deadRequestQueue, null],
  [heartbeatQueue, null],
  [wakeQueue, null],
];

/** The queues of replies by the first word of their routes. */
const queuesOfReplies: ReadonlyMap<string | undefined, string> = new Map(
  replyBindings.map(({ queue, routingKey }) => [routingKey.split(".")[0], queue]),
);

/** The queue that a message is routed to; undefined: none. */
const queueFor = ({ exchange, routingKey }: OutgoingMessage): string | undefined =>
  exchange === replyExchange
    ? queuesOfReplies.get(routingKey.split(".")[0])
    : (queuesOf[exchange]?.(routingKey) ?? routingKey);

const queuesOf: Readonly<Record<string, (routingKey: string) => string>> = {
  [requestExchange]: agentQueue,
  [wakeExchange]: () => wakeQueue,
  [heartbeatExchange]: () => heartbeatQueue,
};

export interface MemoryBroker {
  /** Stores a message; false: no queue takes it. */
  store(message: OutgoingMessage): boolean;
  attach(queue: string, consumer: Omit<Consumer, "queue" | "inHand" | "isOpen">): Consumer;
  /** Gives the host the first of these queues that has no owner; null: all have one. */
  claimExclusive(queues: readonly string[], host: Host): string | null;
  /** Takes from the host the queues that it owns. */
  disown(host: Host): void;
  /** Changes the prefetch of a consumer; with 0 the queue no longer counts it. */
  limit(consumer: Consumer, prefetch: number): void;
  /** Requeues the unacknowledged messages of a consumer. */
  close(consumer: Consumer): void;
  inspect(queue: string): { readonly messages: number; readonly consumers: number } | null;
  purge(queue: string): void;
  /** Has these queues give nothing out for a while, or until the faults end. */
  hold(queues: readonly string[], ms: number): void;
  /**
   * Is short of memory or disk for a while, or until the faults end, and takes nothing from
   * publishers.
   */
  beInNeed(ms: number): void;
  readonly isInNeed: () => boolean;
  /** The queues in which something waits. */
  filledQueues(): readonly string[];
  /** How many messages are still to be handled; hints and heartbeats do not count. */
  countOutstanding(): number;
}

/**
 * Times in which the broker gives nothing out of some queues, or takes nothing. All end with the
 * faults.
 */
function stalledConsumers(
  state: BrokerState,
): Pick<MemoryBroker, "hold" | "beInNeed" | "isInNeed"> {
  const { world, queues } = state;
  const { timeline } = world;
  world.onHeal(() => {
    state.inNeedUntil = 0;
    for (const queue of queues.values()) {
      if (queue.heldUntil > 0) hold(state, queue, timeline.now);
    }
  });
  return {
    hold(names, ms) {
      world.tell("broker", () => `gives nothing out of ${names.join(", ")} for ${ms} ms`);
      for (const name of names) {
        const queue = queues.get(name);
        if (queue !== undefined) hold(state, queue, timeline.now + ms);
      }
    },
    beInNeed(ms) {
      world.tell("broker", () => `takes nothing for ${ms} ms`);
      state.inNeedUntil = timeline.now + ms;
    },
    isInNeed: () => timeline.now < state.inNeedUntil,
  };
}

/**
 * Queues with acknowledgements, expiration, delivery limits and dead letters, and their troubles.
 */
export function memoryBroker(
  world: World,
  { agents, watcher }: { readonly agents: readonly string[]; readonly watcher: BrokerWatcher },
): MemoryBroker {
  const queues = new Map<string, Queue>(
    queuesWithDeadLetters(agents).map(([name, deadLetters]) => [
      name,
      { name, deadLetters, ready: [], consumers: new Set(), heldUntil: 0 },
    ]),
  );
  const owners = new Map<string, Host>();
  const state: BrokerState = { world, watcher, queues, outstanding: 0, inNeedUntil: 0 };
  return {
    filledQueues: () =>
      [...queues.values()].flatMap(({ name, ready }) => (ready.length > 0 ? [name] : [])),
    countOutstanding: () => state.outstanding,
    close: (consumer) => close(state, consumer),
    limit: (consumer, prefetch) => limit(state, consumer, prefetch),
    store: (message) => storeMessage(state, message),
    attach(name, options) {
      const consumer = { ...options, queue: name, inHand: new Set<Message>(), isOpen: true };
      limit(state, consumer, options.prefetch);
      return consumer;
    },
    claimExclusive(names, host) {
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
    ...stalledConsumers(state),
    purge(name) {
      const queue = queues.get(name);
      if (queue === undefined || queue.ready.length === 0) return;
      world.tell("broker", () => `${name} is purged of ${queue.ready.length}`);
      for (const message of queue.ready) {
        forget(state, message);
        watcher.waiting(message, false);
      }
      queue.ready = [];
    },
  };
}

/** Takes a message from a publisher, with all that may happen to it. */
function storeMessage(state: BrokerState, outgoing: OutgoingMessage): boolean {
  const { world } = state;
  const { timeline, random } = world;
  const name = queueFor(outgoing);
  if (name === undefined || !state.queues.has(name)) return false;
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
  state.watcher.stored(message);
  if (name !== wakeQueue && world.strikes("messageLost")) {
    world.tell("broker", () => `${nameOfMessage(message)} is lost`);
    return true;
  }
  const putLater = (one: Message, ms: number): void => {
    state.outstanding += counts(one);
    world.tell("broker", () => `${nameOfMessage(one)} is ${ms} ms late`);
    timeline.after(ms, () => enqueue(state, one));
  };
  if (world.strikes("messageLate")) putLater(message, random.below(1_500));
  else put(state, message);
  if (name !== wakeQueue && world.strikes("messageDoubled")) {
    world.tell("broker", () => `${nameOfMessage(message)} is doubled`);
    message.isRedelivered = true;
    if (random.chance(0.5)) put(state, { ...message });
    else putLater({ ...message }, random.below(3_000));
  }
  return true;
}
