/** The exchange through which every reply comes: routed `<queue's word>.<agent>.<task id>`. */
export const replyExchange = "holdfast.replies";
/** Requests of the Schedulers to the Agents, routed by the Agent's name. */
export const requestExchange = "holdfast.requests";
/** The queue of one Agent, shared by all its instances. */
export const agentQueue = (agent: string): string => `agent.${agent}`;
/**
 * Replies to whichever Scheduler. All of them read it, and all that follow: a dead one strands
 * nothing.
 */
export const replyQueue = "scheduler.replies";
/** Each comes to one Scheduler first, which names it in its requests. */
export const ownReplyQueues: readonly string[] = Array.from(
  { length: 8 },
  (_, index) => `${replyQueue}.${index + 1}`,
);
export const replyQueues: readonly string[] = [replyQueue, ...ownReplyQueues];
/** The first word of the route to each queue of replies. */
const replyWords: ReadonlyMap<string, string> = new Map([
  [replyQueue, "reply"],
  ...ownReplyQueues.map((queue, index) => [queue, `reply-${index + 1}`] as const),
]);
const routesToReplies: ReadonlySet<string> = new Set(replyWords.values());
/** Which routes lead to which queue of replies. */
export const replyBindings = [...replyWords].map(([queue, word]) => ({
  exchange: replyExchange,
  queue,
  routingKey: `${word}.#`,
}));
/**
 * The routing key of an Agent's reply: to the queue that the request names, or to whichever
 * Scheduler if it names none that there is. The broker lets an Agent write under its own name only.
 */
export const replyRoute = (agent: string, taskId: string, replyTo = replyQueue): string =>
  `${replyWords.get(replyTo) ?? "reply"}.${agent}.${taskId}`;
/** Stands in the place of an Agent's name in the routes of probes. No Agent can have it. */
const prober = "~";
/**
 * The routing key of a Supervisor's probe: the broker lets it write nothing else among the replies.
 */
export const probeRoute = (queue: string): string =>
  `${replyWords.get(queue) ?? "reply"}.${prober}.probe`;
/** The routes that the broker lets a Supervisor write to, as an expression of RabbitMQ. */
export const probeRoutes = `^reply(-\\d+)?\\.${prober}\\.probe$`;
/** Whether a message came by the route of a probe. */
export const isProbeRoute = (routingKey: string): boolean => agentOfReply(routingKey) === prober;
/**
 * The Agent under whose name a reply was routed; null for any other routing key, such as the name
 * of the queue itself, through which any user of the default exchange could pass for an Agent.
 */
export function agentOfReply(routingKey: string): string | null {
  const [word = "", agent = "", taskId, ...more] = routingKey.split(".");
  const isRoute = routesToReplies.has(word) && agent !== "" && taskId !== undefined;
  return isRoute && more.length === 0 ? agent : null;
}
/** Requests that no Agent took by their start-by time, or that killed too many Agents. */
export const expiredQueue = "requests.expired";
/** Hints to the Schedulers that something is due. */
export const wakeExchange = "holdfast.wake";
/**
 * Marks a broker: a broker that lost its data has lost this queue. Schedulers alone declare it, so
 * it must be in no definitions that a broker imports when it starts.
 */
export const canaryQueue = "scheduler.canary";
/**
 * Marks a virtual host as that of one state store: its arguments follow from the store's id, and
 * RabbitMQ refuses to declare it with others. Services that have a store declare it, so it is in no
 * definitions. It stays empty.
 */
export const storeQueue = "holdfast.store";
/** A hint that something is due. Holds one message at most: a second hint says nothing new. */
export const wakeQueue = "scheduler.wake-ups";
/** Schedulers that cannot record what they have read say so here. */
export const unrecordedExchange = "holdfast.unrecorded";
/**
 * Has a message while a Scheduler holds replies that it cannot record: then silence says nothing
 * about an Agent. It has no consumer; a message expires after two seconds.
 */
export const unrecordedQueue = "scheduler.unrecorded";
/**
 * The exchange to which applications publish orders, with `submissionQueue` as the routing key;
 * they may write to no other exchange but `signalExchange`.
 */
export const submissionExchange = "holdfast.submissions";
/** Orders submitted by message instead of HTTP. */
export const submissionQueue = "task.submissions";
/**
 * The exchange to which applications publish signals for tasks, with `signalQueue` as the routing
 * key.
 */
export const signalExchange = "holdfast.signals";
/** Signals sent by message instead of HTTP. */
export const signalQueue = "task.signals";
/** Messages that no consumer could read. */
export const deadRequestQueue = "dead.requests";
export const deadReplyQueue = "dead.replies";
/**
 * How often a message may be redelivered after a crash of its consumer. Set explicitly: the default
 * differs by broker version.
 */
export const deliveryLimit = 20;
/**
 * The exchange that says to all instances of all Agents that an attempt need not be finished. No
 * routing key; never stored.
 */
export const cancelExchange = "holdfast.cancel";
/**
 * What Agents say of themselves: routed `heartbeat.<agent>`, so that none can speak for another.
 */
export const heartbeatExchange = "holdfast.heartbeats";
export const heartbeatRoute = (agent: string): string => `heartbeat.${agent}`;
export const heartbeatQueue = "scheduler.agent-heartbeats";
/**
 * CloudEvents for every queue that is bound: routed `task.<what>.<workflow>` and `alert.<what>`.
 */
export const eventExchange = "holdfast.events";
/**
 * Statuses, routed by the name of the submitter's queue. The Scheduler binds that queue when it
 * first needs it.
 */
export const statusExchange = "holdfast.status";
/**
 * Whether a submitter may have the status of its tasks sent to that queue. The prefix keeps a
 * submission from making us write to the queues of Holdfast itself.
 */
export const isStatusQueue = (queue: string): boolean => /^status\.[\w.-]{1,200}$/.test(queue);
