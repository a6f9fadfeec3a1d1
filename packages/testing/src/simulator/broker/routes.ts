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

/** All queues, and for each the queue of its dead letters; null: it drops them. */
export const queuesWithDeadLetters = (
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
export const queueFor = ({ exchange, routingKey }: OutgoingMessage): string | undefined =>
  exchange === replyExchange
    ? queuesOfReplies.get(routingKey.split(".")[0])
    : (queuesOf[exchange]?.(routingKey) ?? routingKey);

const queuesOf: Readonly<Record<string, (routingKey: string) => string>> = {
  [requestExchange]: agentQueue,
  [wakeExchange]: () => wakeQueue,
  [heartbeatExchange]: () => heartbeatQueue,
};
