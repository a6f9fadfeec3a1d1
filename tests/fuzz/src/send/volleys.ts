import { setTimeout as sleep } from "node:timers/promises";
import {
  AgentHeartbeat,
  agentQueue,
  expiredQueue,
  heartbeatExchange,
  heartbeatRoute,
  replyExchange,
  replyRoute,
  StepReply,
  StepRequest,
  submissionQueue,
} from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { sampleOrder } from "@holdfast/orders";
import { type Dice, diceOf } from "../inputs/dice.ts";
import { messageTargets, messageTo, type Target } from "../inputs/hostile-message.ts";
import type { DecisionContext, HostileMessage } from "../inputs/input.ts";
import { type InputClass, inputClasses } from "../inputs/input-classes.ts";
import type { MessageSender } from "./send-messages.ts";

/** How long a good message took behind as many others as its consumer prefetches. */
export interface Volley {
  readonly target: string;
  /** Milliseconds, behind valid messages. */
  readonly behindValid: number;
  /** Milliseconds, behind deep ones. */
  readonly behindDeep: number;
}

/** Milliseconds: a good message is recorded in less, behind valid ones, on any machine that is worth a measurement. */
const aMoment = 300;
const slowest = 10;

/** Whether a good message waited for deep ones in a way that their number does not explain. */
export const isStandstill = ({ behindValid, behindDeep }: Volley): boolean =>
  behindDeep > slowest * Math.max(aMoment, behindValid);

interface Options {
  readonly seed: number;
  readonly around: DecisionContext;
  readonly stateStoreUrl: string;
  readonly messages: MessageSender;
  readonly sent: (message: HostileMessage) => void;
  readonly fired: (volley: Volley) => void;
}

/** A good message to the consumer that reads a kind of message, and how the store shows that it was recorded. */
interface Good {
  readonly message: Pick<HostileMessage, "exchange" | "routingKey" | "body" | "properties">;
  /** A query that has a row once it was. */
  readonly recorded: string;
}

type GoodOf = (id: string, user: { readonly userId: string }) => Good;

const attempt = { step: "reserve", attempt: 1 } as const;

/** Refused, as no task has this id; it is kept with the reason. */
const goodReply: GoodOf = (taskId, user) => ({
  message: {
    exchange: replyExchange,
    routingKey: replyRoute("inventory", taskId, "scheduler.replies.1"),
    body: StepReply.encode({
      ...attempt,
      taskId,
      token: taskId,
      outcome: { kind: "completed", output: null },
    }),
    properties: { ...user, type: StepReply.type, messageId: taskId, persistent: true },
  },
  recorded: `select 1 from state.rejected_replies where task_id = '${taskId}'`,
});

const requestBody = (taskId: string) =>
  StepRequest.encode({
    ...attempt,
    taskId,
    token: taskId,
    agent: "inventory",
    operation: "nothing",
    idempotencyKey: `fuzz-${taskId}:reserve:do`,
    workMs: 5_000,
    completeBy: "2026-01-01T00:00:00Z",
    input: null,
  });

/** Answered, as the Agent has no such operation; the answer is refused like any other to no task. */
const goodRequest: GoodOf = (taskId, user) => ({
  message: {
    exchange: "",
    routingKey: agentQueue("inventory"),
    body: requestBody(taskId),
    properties: { ...user, type: StepRequest.type, messageId: taskId, persistent: true },
  },
  recorded: goodReply(taskId, user).recorded,
});

const goodReturned: GoodOf = (taskId, user) => ({
  message: {
    exchange: "",
    routingKey: expiredQueue,
    body: requestBody(taskId),
    properties: {
      ...user,
      type: StepRequest.type,
      messageId: taskId,
      persistent: true,
      headers: { "x-first-death-reason": "rejected" },
    },
  },
  recorded: `select 1 from state.dead_letters where message_id = '${taskId}'`,
});

const goodHeartbeat: GoodOf = (id, user) => ({
  message: {
    exchange: heartbeatExchange,
    routingKey: heartbeatRoute("inventory"),
    body: AgentHeartbeat.encode({
      agent: "inventory",
      instance: id,
      capacity: 1,
      inFlight: 0,
      breaker: "closed",
      openForMs: 0,
    }),
    properties: { ...user, type: AgentHeartbeat.type, messageId: id, persistent: true },
  },
  recorded: `select 1 from state.agents where instance = '${id}'`,
});

const goodOrder: GoodOf = (id, user) => ({
  message: {
    exchange: "",
    routingKey: submissionQueue,
    body: Buffer.from(JSON.stringify(sampleOrder({ kind: "good", seed: 1 }))),
    properties: { ...user, type: "order", messageId: id, persistent: true },
  },
  recorded: `select 1 from state.submissions where idempotency_key = '${id}'`,
});

/** By the kind of message: what comes next to the same consumer, and how many that one prefetches at least. */
const consumers: Readonly<Record<string, { readonly count: number; readonly good: GoodOf }>> = {
  reply: { count: 110, good: goodReply },
  heartbeat: { count: 500, good: goodHeartbeat },
  cancel: { count: 110, good: goodRequest },
  request: { count: 150, good: goodRequest },
  "expired request": { count: 60, good: goodReturned },
  submission: { count: 400, good: goodOrder },
};

/** Milliseconds between two looks into the store, and after which a message counts as never recorded. */
const rest = 20;
const patience = 60_000;
/** Milliseconds between two volleys: the system is to work, too. */
const pause = 300;
/** Volleys have dice apart from those of the inputs. */
const firstIndex = 2_000_000_000;

const valid: InputClass = {
  name: "damaged",
  body: (_, make) => ({
    body: Buffer.from(JSON.stringify(make())),
    changes: [],
    contentType: "application/json",
  }),
  properties: () => ({}),
  headers: () => ({}),
};

/**
 * Sends as many deep messages at once as a consumer prefetches, with a good one behind them, and before that as many
 * valid ones: the two are compared, so that no slow machine is taken for a consumer that stands still.
 */
export async function sendVolleys(options: Options, signal: AbortSignal): Promise<void> {
  const { seed, fired } = options;
  const targets = messageTargets.filter(({ name }) => Object.hasOwn(consumers, name));
  const isOver = (): boolean => signal.aborted;
  for (let index = 0; !isOver(); index += 1) {
    const dice = diceOf(seed, firstIndex + index);
    const target = targets[index % targets.length]!;
    const behindValid = await fire(target, dice, { ...options, inputClass: valid, signal });
    if (isOver()) return;
    const behindDeep = await fire(target, dice, {
      ...options,
      inputClass: inputClasses.deep,
      signal,
    });
    fired({ target: target.name, behindValid, behindDeep });
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Resolves to how long the good message took from when it was published, in milliseconds. */
async function fire(
  target: Target,
  dice: Dice,
  {
    around,
    inputClass,
    messages,
    sent,
    stateStoreUrl,
    signal,
  }: Options & { readonly inputClass: InputClass; readonly signal: AbortSignal },
): Promise<number> {
  const { count, good } = consumers[target.name]!;
  const { message, recorded } = good(dice.uuid(), { userId: around.userId });
  const { exchange, routingKey } = message;
  // To the very queue, but for cancels, which no good message follows.
  const to = target.name === "cancel" ? {} : { exchange, routingKey };
  const publishing = Array.from({ length: count }, () => {
    const one = { ...messageTo(target, dice, { around, inputClass }), ...to };
    if (inputClass !== valid) sent(one);
    return messages.send(one);
  });
  const common = {
    kind: "message",
    target: "good message",
    changes: [],
    closesChannel: false,
  } as const;
  await Promise.all([...publishing, messages.send({ ...common, ...message })]);
  const begun = performance.now();
  while ((await queryOnce(stateStoreUrl, recorded)).length === 0) {
    if (performance.now() - begun > patience || signal.aborted) break;
    await sleep(rest);
  }
  return performance.now() - begun;
}
