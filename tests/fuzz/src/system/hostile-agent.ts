import {
  agentQueue,
  expiredQueue,
  replyExchange,
  replyRoute,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import type { Json, StepDefinition, WorkflowDefinition } from "@holdfast/domain";
import { bodiesOf, deadLetter, declareTopology, topologyOf } from "@holdfast/messaging";
import { type ConsumeMessage, connect } from "amqplib";
import { baitAgent as agent, baitPolicy as policy } from "../inputs/bait.ts";
import { type Dice, diceOf } from "../inputs/dice.ts";
import { hostileOutput } from "../inputs/hostile-schema-input.ts";
import type { HostileMessage } from "../inputs/input.ts";
import { inputClasses } from "../inputs/input-classes.ts";

const step = {
  ...policy,
  agent,
  operation: "take",
  onlyIf: null,
} satisfies Partial<StepDefinition>;

/** Work for the hostile Agent: the second step is given what the first one returned. */
export const baitWorkflow: WorkflowDefinition = {
  format: 1,
  name: "bait.v1",
  inputSchema: {},
  completeWithin: null,
  steps: [
    {
      ...step,
      name: "first",
      input: {},
      after: [],
      undo: { ...policy, operation: "untake", onFailure: "halt" },
    },
    {
      ...step,
      name: "second",
      input: { of: { $ref: "/steps/first" } },
      after: ["first"],
      undo: null,
    },
  ],
  output: null,
};

interface Options {
  readonly brokerUrl: string;
  readonly seed: number;
  readonly userId: string;
  readonly send: (message: HostileMessage) => void;
}

/** Its inputs are counted apart from the others, whose numbers are below. */
const firstIndex = 1_000_000_000;

/**
 * An Agent in the hands of an enemy: it gets real requests, so it knows the tokens of its attempts, and
 * answers with what is nearly right. In the end it mostly tells the truth.
 */
export async function startHostileAgent(options: Options): Promise<AsyncDisposable> {
  const { brokerUrl, seed, send } = options;
  const connection = await connect(brokerUrl, { noDelay: true });
  connection.on("error", () => {});
  const channel = await connection.createChannel();
  channel.on("error", () => {});
  await declareTopology(channel, topologyOf([agent]));
  await channel.prefetch(20);
  let index = firstIndex;

  const take = (message: ConsumeMessage): void => {
    const dice = diceOf(seed, (index += 1));
    for (const request of requestsIn(message)) {
      for (const answer of answersTo(request, message, dice, options)) send(answer);
    }
    // What an Agent without our SDK does to a queue of RabbitMQ before 4.0 is the broker's own fault.
    if (dice.oneIn(25)) deadLetter(channel, message);
    else channel.ack(message);
  };
  await channel.consume(agentQueue(agent), (message) => {
    if (message !== null) take(message);
  });
  return {
    async [Symbol.asyncDispose]() {
      await connection.close().catch(() => {});
    },
  };
}

function requestsIn({ content, properties }: ConsumeMessage): readonly StepRequest[] {
  return bodiesOf(content, properties.contentType).flatMap((body) => {
    try {
      return [StepRequest.decode(body)];
    } catch {
      return []; // Ours: other inputs go to this queue as well.
    }
  });
}

function answersTo(
  request: StepRequest,
  { properties, content }: ConsumeMessage,
  dice: Dice,
  { userId }: Options,
): readonly HostileMessage[] {
  const { taskId, step: name, attempt, token, input } = request;
  const output = (hostileOutput(input) ?? { done: name }) as Json;
  const ref = { taskId, step: name, attempt, token };
  const routingKey = replyRoute(agent, taskId, properties.replyTo as string | undefined);
  const common = {
    kind: "message",
    exchange: replyExchange,
    routingKey,
    closesChannel: false,
  } as const;
  const own = { type: StepReply.type, userId, persistent: true };

  const hostile = (): HostileMessage => {
    const inputClass = inputClasses[dice.pick(replyClasses)];
    const { body, changes, contentType } = inputClass.body(dice, () => replyTo(ref, dice));
    const strange = inputClass.properties(dice);
    return {
      ...common,
      target: "reply of an attempt in flight",
      changes: [...changes, ...Object.keys(strange)],
      body,
      properties: { ...own, messageId: dice.uuid(), contentType, ...strange },
    };
  };
  const returned = (): HostileMessage => ({
    ...common,
    target: "request that comes back",
    changes: [],
    exchange: "",
    routingKey: expiredQueue,
    body: content,
    properties: {
      ...own,
      type: StepRequest.type,
      contentType: properties.contentType as string,
      headers: { "x-first-death-reason": dice.pick(["expired", "rejected", "delivery_limit", ""]) },
    },
  });
  const honest = (): HostileMessage => ({
    ...common,
    target: "right reply",
    changes: [],
    body: StepReply.encode({ ...ref, outcome: { kind: "completed", output } }),
    properties: { ...own, messageId: dice.uuid(), contentType: "application/json" },
  });
  return [
    ...Array.from({ length: dice.pick([0, 1, 1, 2, 3]) }, hostile),
    ...(dice.oneIn(20) ? [returned()] : []),
    ...(dice.oneIn(5) ? [] : [honest()]),
  ];
}

/** As `damaged` twice as often as each of the others. */
const replyClasses = ["damaged", "damaged", "deep", "large", "times"] as const;

type Ref = Pick<StepReply, "taskId" | "step" | "attempt" | "token">;

/** Every outcome that there is, to be changed. */
const replyTo = (ref: Ref, dice: Dice): StepReply => ({
  ...ref,
  outcome: dice.pick<StepReply["outcome"]>([
    { kind: "completed", output: { done: true, list: [1, 2, { three: "3" }] } },
    { kind: "completed", output: null },
    { kind: "failed", code: "bait.failed", message: "no", transient: true, retryAfterMs: 10 },
    { kind: "failed", code: "bait.failed", message: "no", transient: true, attempted: false },
    { kind: "failed", code: "bait.failed", message: "no", transient: false, effect: "none" },
    { kind: "stopped", effect: "unknown" },
  ]),
  takes: dice.pick([1, 100, 2 ** 31 - 1]),
});
