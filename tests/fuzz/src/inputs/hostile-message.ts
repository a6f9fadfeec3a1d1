import {
  AgentHeartbeat,
  agentQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatExchange,
  heartbeatRoute,
  replyBindings,
  replyExchange,
  StepCancel,
  StepProgress,
  StepReply,
  StepRequest,
  signalQueue,
  submissionQueue,
  TaskSignal,
  wakeQueue,
} from "@holdfast/contracts";
import { sampleKinds, sampleOrder } from "@holdfast/orders";
import type { Dice } from "./dice.ts";
import { refusedProperties } from "./hostile-properties.ts";
import type { DecisionContext, HostileMessage } from "./input.ts";
import type { InputClass } from "./input-classes.ts";
import { sampleOf } from "./sample-schema.ts";

export const agents = ["inventory", "payments", "shipping", "notifications"] as const;

/** What reads a kind of message: where it listens, and what it expects. */
export interface Target {
  readonly name: string;
  /** How often it is chosen beside the others. */
  readonly weight: number;
  readonly type: string;
  route(
    dice: Dice,
    around: DecisionContext,
  ): { readonly exchange: string; readonly routingKey: string };
  valid(dice: Dice, around: DecisionContext): unknown;
}

const straightTo = (queue: string) => ({ exchange: "", routingKey: queue });

/** The first word of the route to each queue of replies. */
const replyWords = replyBindings.map(({ routingKey }) => routingKey.replace(".#", ""));

/**
 * An order that there is, with an attempt and a token that are not its own; or none that there is.
 */
const strangeStep = (dice: Dice, around: DecisionContext): object =>
  dice.oneIn(2)
    ? { taskId: around.order() ?? dice.uuid(), step: dice.pick(["reserve", "charge", "ship"]) }
    : {};

const request = (dice: Dice, around: DecisionContext): object => ({
  ...(sampleOf(StepRequest.schema, dice) as object),
  ...strangeStep(dice, around),
  // Never a key of an order: an undo under it would be obeyed.
  idempotencyKey: `fuzz-${dice.uuid()}:step:do`,
  agent: dice.pick(agents),
  operation: dice.pick(["reserve", "charge", "assessRisk", "ship", "confirmOrder", "nothing"]),
  workMs: dice.between(1, 2_000),
});

const signOf = (dice: Dice): object => ({
  taskId: dice.uuid(),
  step: dice.pick(["reserve", "charge", "ship"]),
  attempt: dice.between(1, 3),
  token: dice.uuid(),
  runningMs: dice.between(0, 60_000),
  ...(dice.oneIn(2) ? { heartbeat: { percent: dice.between(0, 100), note: "at work" } } : {}),
});

/**
 * A key of so few that most orders are replays and conflicts: what is accepted must be worked at.
 */
const orderKey = (dice: Dice): string => `fuzz-${dice.between(0, 99)}`;

const targets: readonly Target[] = [
  {
    name: "reply",
    weight: 16,
    type: StepReply.type,
    route: (dice, around) => ({
      exchange: replyExchange,
      routingKey: dice.oneIn(15)
        ? dice.pick([
            "reply",
            "reply..",
            "reply.a\u0000b.x",
            `reply.${"x".repeat(240)}`,
            "replies.x",
          ])
        : `${dice.pick(replyWords)}.${dice.pick(agents)}.${around.order() ?? "x"}`,
    }),
    valid: (dice, around) => ({
      ...(sampleOf(StepReply.schema, dice) as object),
      ...strangeStep(dice, around),
    }),
  },
  {
    name: "heartbeat",
    weight: 9,
    type: AgentHeartbeat.type,
    route: (dice) => ({
      exchange: heartbeatExchange,
      routingKey: heartbeatRoute(dice.pick([...agents, "a\u0000b", ""])),
    }),
    valid: (dice) => ({
      ...(sampleOf(AgentHeartbeat.schema, dice) as object),
      agent: dice.pick(agents),
      instance: `fuzz-${dice.between(0, 20)}`,
    }),
  },
  {
    name: "progress",
    weight: 5,
    type: StepProgress.type,
    route: (dice) => ({
      exchange: heartbeatExchange,
      routingKey: heartbeatRoute(dice.pick(agents)),
    }),
    valid: (dice, around) => {
      const sign = { ...signOf(dice), ...strangeStep(dice, around) };
      return {
        attempts: [sign, ...Array.from({ length: dice.between(0, 3) }, () => signOf(dice))],
      };
    },
  },
  {
    name: "cancel",
    weight: 9,
    type: StepCancel.type,
    route: (dice) => ({ exchange: cancelExchange, routingKey: dice.pick(["", "x", "a\u0000b"]) }),
    valid: (dice, around) => ({
      ...(sampleOf(StepCancel.schema, dice) as object),
      ...strangeStep(dice, around),
    }),
  },
  {
    name: "request",
    weight: 5,
    type: StepRequest.type,
    route: (dice) => straightTo(agentQueue(dice.pick(agents))),
    valid: request,
  },
  {
    name: "expired request",
    weight: 4,
    type: StepRequest.type,
    route: () => straightTo(expiredQueue),
    valid: request,
  },
  {
    name: "submission",
    weight: 6,
    type: "order",
    route: () => straightTo(submissionQueue),
    valid: (dice) => sampleOrder({ kind: dice.pick(sampleKinds), seed: dice.between(0, 50) }),
  },
  {
    name: "signal",
    weight: 4,
    type: TaskSignal.type,
    route: () => straightTo(signalQueue),
    valid: (dice) => sampleOf(TaskSignal.schema, dice),
  },
  {
    name: "dead letter",
    weight: 2,
    type: StepReply.type,
    route: (dice) => straightTo(dice.pick([deadReplyQueue, deadRequestQueue])),
    valid: (dice) => sampleOf(StepReply.schema, dice),
  },
  {
    name: "wake",
    weight: 2,
    type: "scheduler.wake.v1",
    route: () => straightTo(wakeQueue),
    valid: () => null,
  },
];

const lots = targets.flatMap((target) => Array.from({ length: target.weight }, () => target));

/** What each target calls valid, for tests. */
export const messageTargets = targets;

/** A message that is nearly valid, to one of the queues and exchanges that Holdfast reads. */
export function hostileMessage(
  dice: Dice,
  around: DecisionContext,
  inputClass: InputClass,
): HostileMessage {
  const closesChannel = inputClass.name === "damaged" && dice.oneIn(400);
  return messageTo(dice.pick(lots), dice, { around, inputClass, closesChannel });
}

interface Making {
  readonly around: DecisionContext;
  readonly inputClass: InputClass;
  /** The broker is to refuse it. */
  readonly closesChannel?: boolean;
}

/** A message of a class to one of the targets. */
export function messageTo(
  target: Target,
  dice: Dice,
  { around, inputClass, closesChannel = false }: Making,
): HostileMessage {
  const valid = () => target.valid(dice, around);
  const { body, changes, contentType } = inputClass.body(dice, valid);
  const strange = closesChannel ? refusedProperties(dice) : inputClass.properties(dice);
  return {
    kind: "message",
    target: target.name,
    changes: [...changes, ...Object.keys(strange)],
    ...target.route(dice, around),
    body,
    properties: {
      type: target.type,
      messageId: target.name === "submission" ? orderKey(dice) : dice.uuid(),
      // Now and then the broker does not vouch for it.
      ...(dice.oneIn(12) ? {} : { userId: around.userId }),
      persistent: true,
      contentType,
      ...strange,
    },
    closesChannel,
  };
}
