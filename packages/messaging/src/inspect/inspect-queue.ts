import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelModel } from "amqplib";
import { queueAnswersWithin } from "../connection/in-time.ts";
import type { Queue } from "../topology/topology.ts";
import { answerOf, connectTo, refused } from "./inspect-connection.ts";
import type { ManagedQueue } from "./inspect-management.ts";

/** A queue of ours as the broker has it. */
export interface QueueFacts {
  readonly name: string;
  /**
   * `hidden`: this user may not ask how it is declared, and the HTTP API did not tell. `unseen`:
   * nor how many messages and consumers it has, as of RabbitMQ 4.3 on. `silent`: it is known to the
   * broker and answers nothing, as it has no leader.
   */
  readonly state: "there" | "missing" | "hidden" | "unseen" | "silent";
  readonly messages: number;
  readonly consumers: number;
  /** How it differs from what this release declares, in the broker's words; null: in nothing. */
  readonly difference: string | null;
}

/** Asks over AMQP how many messages and consumers a queue has, and how its declaration differs. */
export async function inspectQueue(model: ChannelModel, queue: Queue): Promise<QueueFacts> {
  const { name } = queue;
  const there = await answerOf(model, (channel) => channel.checkQueue(name));
  if ("code" in there) {
    const state = there.code === refused ? "unseen" : "missing";
    return { name, state, messages: 0, consumers: 0, difference: null };
  }
  const { messageCount: messages, consumerCount: consumers } = there.found;
  // It is there, so declaring it makes nothing: the broker compares.
  const same = await answerOf(model, (channel) =>
    channel.assertQueue(name, { durable: true, arguments: queue.arguments }),
  );
  const code = "code" in same ? same.code : null;
  const difference = "code" in same && code !== refused ? inItsWords(same.message) : null;
  return { name, state: code === refused ? "hidden" : "there", messages, consumers, difference };
}

/** What a user who may not ask for a queue over AMQP sees by the HTTP API. */
export function uncover(
  facts: QueueFacts,
  queue: Queue | undefined,
  managed: readonly ManagedQueue[],
): QueueFacts {
  const isCovered = facts.state === "hidden" || facts.state === "unseen";
  if (!isCovered || queue === undefined) return facts;
  const found = managed.find(({ name }) => name === facts.name);
  if (found === undefined) return { ...facts, state: "missing" };
  const { messages, consumers } = found;
  return {
    name: facts.name,
    state: "there",
    messages: messages ?? facts.messages,
    consumers: consumers ?? facts.consumers,
    difference: differenceOf(queue, found),
  };
}

function differenceOf(ours: Queue, theirs: ManagedQueue): string | null {
  const names = new Set([...Object.keys(ours.arguments), ...Object.keys(theirs.arguments)]);
  const differing = [...names].find((name) => ours.arguments[name] !== theirs.arguments[name]);
  if (differing === undefined) return null;
  const [is, should] = [theirs, ours].map((one) =>
    JSON.stringify(one.arguments[differing] ?? "none"),
  );
  return `${differing} is ${plain(is)} and should be ${plain(should)}`;
}

/**
 * A queue that has readers or messages has, or had, a leader; of one that has not, nothing is taken
 * here.
 */
export const canBeSilent = (
  { arguments: args }: Queue,
  { state, messages, consumers }: QueueFacts,
) => state === "there" && messages + consumers === 0 && args["x-queue-type"] === "quorum";

/**
 * Consumes from a queue, which only its leader allows. On a connection of its own: once the broker
 * gives up waiting for a leader, it closes the connection.
 */
export async function listenForIt(
  facts: QueueFacts,
  { url, name }: { readonly url: string; readonly name: string },
): Promise<QueueFacts> {
  await using connection = await connectTo(url, name);
  const channel = await connection.model.createChannel();
  channel.on("error", () => {});
  await channel.prefetch(1);
  // A refusal is an answer, too.
  const answered = channel
    .consume(facts.name, () => {})
    .then(
      () => true,
      () => true,
    );
  const answers = await Promise.race([answered, sleep(queueAnswersWithin, false, { ref: false })]);
  return answers ? facts : { ...facts, state: "silent" };
}

/** "inequivalent arg 'x-delivery-limit' …: received '20' but current is '5'" */
function inItsWords(message: string): string {
  const [, argument, ours, theirs] =
    /inequivalent arg '([^']+)'.*received (.+?) but current is (.+?)"?$/.exec(message) ?? [];
  if (argument === undefined) return message;
  return `${argument} is ${plain(theirs)} and should be ${plain(ours)}`;
}

const plain = (value = ""): string =>
  value.replace(/^the value '(.*)' of type '.*'$/, "$1").replaceAll(/['"]/g, "");
