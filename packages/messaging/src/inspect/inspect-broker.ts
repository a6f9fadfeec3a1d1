import { queueOfStore, topologyOf } from "../topology/topology.ts";
import { codeOf, connectTo, notFound } from "./inspect-connection.ts";
import { inspectManagement, type ManagementFacts } from "./inspect-management.ts";
import {
  canBeSilent,
  inspectQueue,
  listenForIt,
  type QueueFacts,
  uncover,
} from "./inspect-queue.ts";

export interface InspectBrokerOptions {
  readonly url: string;
  /** RabbitMQ's HTTP API, with user and password; null: what only it can tell is not known. */
  readonly managementUrl: string | null;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /** The Agents whose queues should be there. */
  readonly agents: readonly string[];
  /** The id of the state store that the virtual host should belong to; null: it is not known. */
  readonly storeId?: string | null;
}

export interface BrokerFacts {
  readonly version: string;
  /** Why the broker takes no messages at the moment; null: it does. */
  readonly blocked: string | null;
  readonly queues: readonly QueueFacts[];
  readonly missingExchanges: readonly string[];
  /** The queue that marks the virtual host as that of a store; null: the store is not known. */
  readonly owner: QueueFacts | null;
  /** What the management of the broker says; null: its URL was not given. */
  readonly management: ManagementFacts | { readonly fault: string } | null;
}

/**
 * Looks at a broker over AMQP, and over its HTTP API where that is known. Declares nothing, and
 * leaves nothing behind. Throws `broker.unreachable`.
 */
export async function inspectBroker(options: InspectBrokerOptions): Promise<BrokerFacts> {
  const { url, name, agents, managementUrl, storeId = null } = options;
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
  const mark = storeId === null ? undefined : queueOfStore(storeId);
  const owner = mark === undefined ? null : await inspectQueue(connection.model, mark);
  const management =
    managementUrl === null ? null : await inspectManagement({ url: managementUrl, brokerUrl: url });
  const managed = management === null || "fault" in management ? null : management.queues;
  return {
    version: connection.model.connection.serverProperties.version,
    blocked: await reasonOfBlock(url, name),
    queues: managed === null ? seen : seen.map((facts, at) => uncover(facts, queues[at], managed)),
    missingExchanges: missing,
    owner: owner === null || managed === null ? owner : uncover(owner, mark, managed),
    management,
  };
}

/**
 * A broker that is short of memory or disk stops reading from publishers, and says so only to them.
 * So this publishes a message that no queue takes, on a connection of its own.
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
