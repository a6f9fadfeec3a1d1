import { createHash, randomBytes } from "node:crypto";
import {
  agentQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  eventExchange,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  ownReplyQueues,
  replyExchange,
  replyQueue,
  replyQueues,
  submissionQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { ownerOf } from "./sources.ts";
import { topologyOf } from "./topology.ts";

/** Who connects, as what. A user of Agents may serve several of them. */
export type BrokerUser = {
  readonly name: string;
  readonly passwordHash: string;
} & (
  | { readonly role: "submission" | "scheduler" | "supervisor" }
  | { readonly role: "agent"; readonly agents: readonly string[] }
);

interface DefinitionsOptions {
  readonly vhost: string;
  /** All Agents that have a queue. */
  readonly agents: readonly string[];
  readonly users: readonly BrokerUser[];
}

interface Permissions {
  readonly configure: string;
  readonly read: string;
  readonly write: string;
}

const nothing = "^$";
/** What is published straight to a queue goes through this exchange: it opens every queue. */
const defaultExchange = "amq.default";
const toQueuesAnd = (...exchanges: readonly string[]): string =>
  only([defaultExchange, ...exchanges]);
const own = "^amq\\.gen-";

/**
 * The definitions that a broker imports, for operators who own the topology: the same queues as
 * `declareTopology`, and one user for each service with no more rights than it needs. An Agent reads its own queue and writes replies under its own name, and that is
 * all: it can neither ask other Agents nor speak for them.
 */
export function definitionsOf({ vhost, agents, users }: DefinitionsOptions) {
  const { exchanges, queues, bindings } = topologyOf(agents);
  const durable = { vhost, durable: true, auto_delete: false };
  return {
    vhosts: [{ name: vhost }],
    users: users.map(({ name, passwordHash }) => ({
      name,
      password_hash: passwordHash,
      hashing_algorithm: "rabbit_password_hashing_sha256",
      tags: [],
    })),
    permissions: users.map((user) => ({
      user: user.name,
      vhost,
      ...permissionsOf(user, agents),
    })),
    topic_permissions: users.flatMap((user) => [
      {
        user: user.name,
        vhost,
        exchange: replyExchange,
        read: nothing,
        write: user.role === "agent" ? `^reply(-\\d+)?\\.(${user.agents.join("|")})\\.` : nothing,
      },
      {
        user: user.name,
        vhost,
        exchange: heartbeatExchange,
        read: nothing,
        write: user.role === "agent" ? `^heartbeat\\.(${user.agents.join("|")})$` : nothing,
      },
    ]),
    exchanges: exchanges.map(({ name, type }) => ({
      name,
      type,
      ...durable,
      internal: false,
      arguments: {},
    })),
    queues: queues.map((queue) => ({ name: queue.name, ...durable, arguments: queue.arguments })),
    bindings: bindings.map(({ exchange, queue, routingKey }) => ({
      source: exchange,
      vhost,
      destination: queue,
      destination_type: "queue",
      routing_key: routingKey,
      arguments: {},
    })),
  };
}

function permissionsOf(user: BrokerUser, agents: readonly string[]): Permissions {
  switch (user.role) {
    case "submission":
      return {
        configure: nothing,
        read: only([submissionQueue]),
        write: toQueuesAnd(cancelExchange),
      };
    case "scheduler":
      return {
        // It counts messages and consumers, which RabbitMQ 4.3 takes for declaring the queue.
        // And it holds a queue that stands for the one of its own.
        configure: only([...agents.map(agentQueue), replyQueue, ...ownReplyQueues.map(ownerOf)]),
        read: only([
          ...replyQueues,
          expiredQueue,
          wakeQueue,
          heartbeatQueue,
          deadRequestQueue,
          deadReplyQueue,
        ]),
        write: toQueuesAnd(cancelExchange, eventExchange),
      };
    case "supervisor":
      return { configure: only(replyQueues), read: nothing, write: toQueuesAnd(cancelExchange) };
    case "agent":
      return {
        // The queue by which one instance hears what need not be finished: named by the broker,
        // and nobody else's.
        configure: own,
        read: `${only([...user.agents.map(agentQueue), cancelExchange])}|${own}`,
        write: `${only([replyExchange, heartbeatExchange])}|${own}`,
      };
  }
}

/** An expression that matches these names and no others. */
const only = (names: readonly string[]): string =>
  `^(${names.map((name) => name.replaceAll(".", "\\.")).join("|")})$`;

/** A password as the broker stores it: salted SHA-256. */
export function hashPassword(password: string, salt: Buffer = randomBytes(4)): string {
  const digest = createHash("sha256").update(salt).update(password).digest();
  return Buffer.concat([salt, digest]).toString("base64");
}
