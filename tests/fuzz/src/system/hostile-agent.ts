import { inspect } from "node:util";
import {
  agentQueue,
  expiredQueue,
  replyExchange,
  replyRoute,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import type { Json, StepDefinition, WorkflowDefinition } from "@holdfast/domain";
import { connectBroker, type Delivery } from "@holdfast/messaging";
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
  readonly say: (line: string) => void;
}

/** Its inputs are counted apart from the others, whose numbers are below. */
const firstIndex = 1_000_000_000;

/**
 * An Agent in the hands of an enemy: it gets real requests, so it knows the tokens of its attempts,
 * and answers with what is nearly right. In the end it mostly tells the truth. It comes back with
 * its queue, channel or connection: what it no longer answers would be requeued for ever.
 */
export async function startHostileAgent(options: Options): Promise<AsyncDisposable> {
  const { brokerUrl: url, seed, send, say } = options;
  const lost = (fields: object, message: string): void =>
    say(`the hostile Agent: ${message} ${inspect(fields)}`);
  await using stack = new AsyncDisposableStack();
  const log = { warn: lost, error: lost };
  const broker = stack.use(
    await connectBroker({ url, name: "hostile agent", topology: "declare", agents: [agent], log }),
  );
  let index = firstIndex;
  const take = async (delivery: Delivery): Promise<void> => {
    const dice = diceOf(seed, (index += 1));
    for (const answer of answersTo(delivery, dice, options)) send(answer);
    if (dice.oneIn(25)) delivery.reject();
  };
  stack.use(await broker.consume(agentQueue(agent), { prefetch: 20 }, take));
  return stack.move();
}

function answersTo(
  { body: content, replyTo: queue }: Delivery,
  dice: Dice,
  { userId }: Pick<Options, "userId">,
): readonly HostileMessage[] {
  const { taskId, step: name, attempt, token, input } = StepRequest.decode(content);
  const output = (hostileOutput(input) ?? { done: name }) as Json;
  const ref = { taskId, step: name, attempt, token };
  const routingKey = replyRoute(agent, taskId, queue);
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
      contentType: "application/json",
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

/** Classes of replies, of which `damaged` comes twice as often as each of the others. */
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
  bundleSize: dice.pick([1, 100, 2 ** 31 - 1]),
});
