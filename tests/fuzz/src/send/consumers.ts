import {
  AgentHeartbeat,
  agentQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  heartbeatRoute,
  limits,
  ownReplyQueues,
  replyExchange,
  replyQueue,
  replyRoute,
  StepCancel,
  StepProgress,
  StepReply,
  StepRequest,
  submissionQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { sampleOrder } from "@holdfast/orders";
import { agents } from "../inputs/hostile-message.ts";
import type { HostileMessage } from "../inputs/input.ts";

/** What shows that a message was recorded. */
export interface Witnesses {
  /** Whether this query of the store has a row. */
  readonly has: (sql: string) => Promise<boolean>;
  /** Whether an Agent logged that the reply to an attempt of this task was refused. */
  readonly refused: (taskId: string) => boolean;
}

/** A message that is as it must be. */
interface Good {
  readonly message: Pick<HostileMessage, "exchange" | "routingKey" | "body" | "properties">;
  readonly isRecorded: (seen: Witnesses) => boolean | Promise<boolean>;
}

/** What reads a kind of message in a running system. */
export interface Consumer {
  /** The kind, as `messageTargets` names it. */
  readonly target: string;
  /** The queues that it reads, or the exchange that it listens to. */
  readonly reads: readonly string[];
  /** The address of a volley; not said: where messages of its kind go. */
  readonly to?: Pick<HostileMessage, "exchange" | "routingKey">;
  /** How many messages it prefetches at most, with some to spare. */
  readonly count: number;
  /** The largest message that it reads, or as large a one as a volley needs. */
  readonly maxBytes: number;
  /** Goes behind a volley, to the same consumer. */
  readonly good: (id: string, userId: string) => Good;
}

const agent = "inventory";
const attempt = { step: "reserve", attempt: 1 } as const;
/** A volley of larger messages would look at the broker and its disk. */
const largeEnough = 64 * 1024;

const requestBody = (taskId: string): Buffer =>
  StepRequest.encode({
    ...attempt,
    taskId,
    token: taskId,
    agent,
    operation: "nothing",
    idempotencyKey: `fuzz-${taskId}:reserve:do`,
    workMs: 5_000,
    completeBy: "2026-01-01T00:00:00Z",
    input: null,
  });

const propertiesOf = (type: string, messageId: string, userId: string) => ({
  type,
  messageId,
  userId,
  persistent: true,
});

const isRefusedReply = (taskId: string) => (seen: Witnesses) =>
  seen.has(`select 1 from state.rejected_replies where task_id = '${taskId}'`);

const isDeadLetter = (id: string) => (seen: Witnesses) =>
  seen.has(`select 1 from state.dead_letters where message_id = '${id}'`);

/** Refused, as no task has this id; it is kept with the reason. */
const goodReply =
  (queue: string): Consumer["good"] =>
  (taskId, userId) => ({
    message: {
      exchange: replyExchange,
      routingKey: replyRoute(agent, taskId, queue),
      body: StepReply.encode({
        ...attempt,
        taskId,
        token: taskId,
        outcome: { kind: "completed", output: null },
      }),
      properties: propertiesOf(StepReply.type, taskId, userId),
    },
    isRecorded: isRefusedReply(taskId),
  });

const goodDeadLetter =
  (queue: string): Consumer["good"] =>
  (id, userId) => ({
    message: {
      exchange: "",
      routingKey: queue,
      body: Buffer.from("{}"),
      properties: propertiesOf(StepReply.type, id, userId),
    },
    isRecorded: isDeadLetter(id),
  });

const goodOrder: Consumer["good"] = (id, userId) => ({
  message: {
    exchange: "",
    routingKey: submissionQueue,
    body: Buffer.from(JSON.stringify(sampleOrder({ kind: "good", seed: 1 }))),
    properties: propertiesOf("order", id, userId),
  },
  isRecorded: (seen) => seen.has(`select 1 from state.submissions where idempotency_key = '${id}'`),
});

/**
 * Every consumer of the services and Agents. A test holds it against those that a running system
 * has.
 */
export const consumers: readonly Consumer[] = [
  ...[[replyQueue], ownReplyQueues].map(
    (queues): Consumer => ({
      target: "reply",
      reads: queues,
      to: { exchange: replyExchange, routingKey: replyRoute(agent, "x", queues[0]) },
      count: 110,
      maxBytes: largeEnough,
      good: goodReply(queues[0]!),
    }),
  ),
  {
    target: "heartbeat",
    reads: [heartbeatQueue],
    count: 500,
    maxBytes: limits.hintBytes,
    good: (id, userId) => ({
      message: {
        exchange: heartbeatExchange,
        routingKey: heartbeatRoute(agent),
        body: AgentHeartbeat.encode({
          agent,
          instance: id,
          capacity: 1,
          inFlight: 0,
          breaker: "closed",
          openForMs: 0,
        }),
        properties: propertiesOf(AgentHeartbeat.type, id, userId),
      },
      isRecorded: (seen) => seen.has(`select 1 from state.agents where instance = '${id}'`),
    }),
  },
  {
    target: "progress",
    reads: [heartbeatQueue],
    count: 500,
    maxBytes: limits.hintBytes,
    // An Agent of this name says that its answers did not arrive: that is remembered.
    good: (id, userId) => ({
      message: {
        exchange: heartbeatExchange,
        routingKey: heartbeatRoute(id),
        body: StepProgress.encode({ attempts: [], unansweredMs: 1 }),
        properties: propertiesOf(StepProgress.type, id, userId),
      },
      isRecorded: (seen) => seen.has(`select 1 from state.outages where part = 'agent ${id}'`),
    }),
  },
  {
    target: "cancel",
    reads: [cancelExchange],
    count: 110,
    maxBytes: limits.hintBytes,
    good: (taskId, userId) => ({
      message: {
        exchange: cancelExchange,
        routingKey: "",
        body: StepCancel.encode({
          ...attempt,
          taskId,
          token: taskId,
          refused: { agent, code: "step.reply_invalid", reason: "/outcome is missing" },
        }),
        properties: propertiesOf(StepCancel.type, taskId, userId),
      },
      isRecorded: (seen) => seen.refused(taskId),
    }),
  },
  {
    target: "request",
    reads: agents.map(agentQueue),
    to: { exchange: "", routingKey: agentQueue(agent) },
    count: 150,
    maxBytes: largeEnough,
    // Answered, as the Agent has no such operation; the answer is refused like any other to no
    // task.
    good: (taskId, userId) => ({
      message: {
        exchange: "",
        routingKey: agentQueue(agent),
        body: requestBody(taskId),
        properties: propertiesOf(StepRequest.type, taskId, userId),
      },
      isRecorded: isRefusedReply(taskId),
    }),
  },
  {
    target: "expired request",
    reads: [expiredQueue],
    count: 60,
    maxBytes: largeEnough,
    good: (taskId, userId) => ({
      message: {
        exchange: "",
        routingKey: expiredQueue,
        body: requestBody(taskId),
        properties: {
          ...propertiesOf(StepRequest.type, taskId, userId),
          headers: { "x-first-death-reason": "rejected" },
        },
      },
      isRecorded: isDeadLetter(taskId),
    }),
  },
  {
    target: "submission",
    reads: [submissionQueue],
    count: 400,
    maxBytes: largeEnough,
    good: goodOrder,
  },
  ...[deadRequestQueue, deadReplyQueue].map(
    (queue): Consumer => ({
      target: "dead letter",
      reads: [queue],
      to: { exchange: "", routingKey: queue },
      count: 60,
      maxBytes: largeEnough,
      good: goodDeadLetter(queue),
    }),
  ),
  {
    target: "wake",
    reads: [wakeQueue],
    // The queue holds one at a time. An order is seen by what claims it then.
    count: 20,
    maxBytes: largeEnough,
    good: (id, userId) => ({
      ...goodOrder(id, userId),
      isRecorded: (seen) =>
        seen.has(`select 1 from state.submissions join state.steps using (task_id)
                   where idempotency_key = '${id}' and attempt > 0`),
    }),
  },
];
