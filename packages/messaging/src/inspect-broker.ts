import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TransientFault } from "@holdfast/domain";
import { serverUrls } from "@holdfast/runtime";
import { type Channel, type ChannelModel, type Connection, connect } from "amqplib";
import { queueAnswersWithin } from "./in-time.ts";
import {
  inspectManagement,
  type ManagedQueue,
  type ManagementFacts,
} from "./inspect-management.ts";
import { type Queue, topologyOf } from "./topology.ts";

export interface InspectBrokerOptions {
  readonly url: string;
  /** RabbitMQ's HTTP API, with user and password; null: what only it can tell is not known. */
  readonly managementUrl: string | null;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /** The Agents whose queues should be there. */
  readonly agents: readonly string[];
}

/** A queue of ours as the broker has it. */
export interface QueueFacts {
  readonly name: string;
  /**
   * `hidden`: this user may not ask how it is declared, and the HTTP API did not tell. `unseen`: nor how many
   * messages and consumers it has, as of RabbitMQ 4.3 on. `silent`: it is known to the broker and
   * answers nothing, as it has no leader.
   */
  readonly state: "there" | "missing" | "hidden" | "unseen" | "silent";
  readonly messages: number;
  readonly consumers: number;
  /** How it differs from what this release declares, in the broker's words; null: in nothing. */
  readonly difference: string | null;
}

export interface BrokerFacts {
  readonly version: string;
  /** Why the broker takes no messages at the moment; null: it does. */
  readonly blocked: string | null;
  readonly queues: readonly QueueFacts[];
  readonly missingExchanges: readonly string[];
  /** Null: its URL was not given. */
  readonly management: ManagementFacts | { readonly fault: string } | null;
}

/** Milliseconds. */
const connectWithin = 5_000;
const hangUpWithin = 2_000;

/**
 * Looks at a broker over AMQP, and over its HTTP API where that is known. Declares nothing, and leaves
 * nothing behind. Throws `broker.unreachable`.
 */
export async function inspectBroker(options: InspectBrokerOptions): Promise<BrokerFacts> {
  const { url, name, agents, managementUrl } = options;
  await using connection = await connectTo(url, name);
  const { exchanges, queues } = topologyOf(agents);
  const seen: QueueFacts[] = [];
  for (const queue of queues) {
    const facts = await inspectQueue(connection.model, queue);
    seen.push(canBeSilent(queue, facts) ? await listenForIt(facts, { url, name }) : facts);
  }
  const missing: string[] = [];
  for (const exchange of exchanges) {
    const code = await codeOf(connection.model, (channel) => channel.checkExchange(exchange.name));
    if (code === notFound) missing.push(exchange.name);
  }
  const management =
    managementUrl === null ? null : await inspectManagement({ url: managementUrl, brokerUrl: url });
  const managed = management === null || "fault" in management ? null : management.queues;
  return {
    version: connection.model.connection.serverProperties.version,
    blocked: await reasonOfBlock(url, name),
    queues: managed === null ? seen : seen.map((facts, at) => uncover(facts, queues[at], managed)),
    missingExchanges: missing,
    management,
  };
}

type Connected = AsyncDisposable & { readonly model: ChannelModel };

/** Connects to the first node that answers. */
function connectTo(url: string, name: string): Promise<Connected> {
  const [first, ...others] = serverUrls(url);
  return others.reduce(
    (connecting, node) => connecting.catch(() => connectToNode(node, name)),
    connectToNode(first, name),
  );
}

async function connectToNode(url: string, name: string): Promise<Connected> {
  try {
    const model = await connect(url, {
      noDelay: true,
      timeout: connectWithin,
      clientProperties: { connection_name: name },
    });
    model.on("error", () => {});
    return { model, [Symbol.asyncDispose]: () => hangUp(model) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TransientFault(
      "broker.unreachable",
      `RabbitMQ at ${new URL(url).host} cannot be reached: is it running, and is BROKER_URL right? (${reason})`,
      { cause },
    );
  }
}

/**
 * The driver leaves the socket of a connection open that the broker has blocked, and the broker does not
 * say goodbye while it waits for a queue.
 */
async function hangUp(model: ChannelModel): Promise<void> {
  const { stream } = model.connection as Connection & { readonly stream: Socket };
  const closed = model.close().then(
    () => true,
    () => true,
  );
  const isClosed = await Promise.race([closed, sleep(hangUpWithin, false, { ref: false })]);
  // Only an error ends the heartbeats of a connection that is being closed.
  stream.destroy(isClosed ? undefined : new Error("The broker did not close the connection"));
}

const notFound = 404;
const refused = 403;

/** Asks on a channel of its own, which a refusal closes. Null: no refusal. */
async function codeOf(
  model: ChannelModel,
  ask: (channel: Channel) => Promise<unknown>,
): Promise<number | null> {
  const answer = await answerOf(model, ask);
  return "code" in answer ? answer.code : null;
}

async function answerOf<Answer>(
  model: ChannelModel,
  ask: (channel: Channel) => Promise<Answer>,
): Promise<{ readonly found: Answer } | { readonly code: number; readonly message: string }> {
  const channel = await model.createChannel();
  channel.on("error", () => {});
  try {
    const found = await ask(channel);
    await channel.close();
    return { found };
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: number };
    if (code === undefined) throw error;
    return { code, message };
  }
}

async function inspectQueue(model: ChannelModel, queue: Queue): Promise<QueueFacts> {
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
function uncover(
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

/** A queue that has readers or messages has, or had, a leader; of one that has not, nothing is taken here. */
const canBeSilent = ({ arguments: args }: Queue, { state, messages, consumers }: QueueFacts) =>
  state === "there" && messages + consumers === 0 && args["x-queue-type"] === "quorum";

/**
 * Only its leader takes a consumer. On a connection of its own: once the broker gives up waiting for a
 * leader, it closes the connection of whoever asked.
 */
async function listenForIt(
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

/**
 * A broker in need stops reading from whoever publishes, and says so; but only to them. So this
 * publishes a message that goes nowhere, on a connection of its own.
 */
async function reasonOfBlock(url: string, name: string): Promise<string | null> {
  await using connection = await connectTo(url, name);
  const { promise: blocked, resolve } = Promise.withResolvers<string>();
  connection.model.on("blocked", resolve);
  const channel = await connection.model.createConfirmChannel();
  channel.on("error", () => {});
  channel.publish("", `nowhere.${process.pid}`, Buffer.alloc(0), { mandatory: true });
  // The block was said before: what comes after it in the same connection would wait.
  const taken = channel
    .waitForConfirms()
    .then(() => channel.close())
    .then(
      () => null,
      () => null,
    );
  // Not before then may the connection be closed.
  return await Promise.race([blocked, taken]);
}
