import { createHash, randomBytes } from "node:crypto";
import {
  agentQueue,
  canaryQueue,
  cancelExchange,
  deadReplyQueue,
  deadRequestQueue,
  eventExchange,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  ownReplyQueues,
  probeRoutes,
  replyExchange,
  replyQueue,
  replyQueues,
  requestExchange,
  signalExchange,
  signalQueue,
  statusExchange,
  storeQueue,
  submissionExchange,
  submissionQueue,
  unrecordedExchange,
  unrecordedQueue,
  wakeExchange,
  wakeQueue,
} from "@holdfast/contracts";
import { ownerOf } from "../consume/exclusive-queue.ts";
import { topologyOf } from "./topology.ts";

/** Who connects, as what. A user of Agents may serve several of them. */
export type BrokerUser = {
  readonly name: string;
  readonly passwordHash: string;
} & (
  | { readonly role: Exclude<BrokerRole, "agent" | "application"> }
  | { readonly role: "agent"; readonly agents: readonly string[] }
  /**
   * Submits orders and sends signals by message. It reads its statuses from `status.<word>` and
   * `status.<word>.…`.
   */
  | {
      readonly role: "application";
      readonly statusWord: string;
      /** Connections at a time; as many as `applicationLimits` says unless given. */
      readonly maxConnections?: number;
    }
);

export type BrokerRole =
  | "application"
  | "submission"
  | "operations"
  | "scheduler"
  | "supervisor"
  | "agent"
  /** `holdfast conformance`: asks Agents as a Scheduler does, and reads what they say. */
  | "conformance"
  /** People and programs that only look: `doctor`, `why`. */
  | "observer";

interface DefinitionsOptions {
  readonly vhost: string;
  /** All Agents that have a queue. */
  readonly agents: readonly string[];
  readonly users: readonly BrokerUser[];
  /**
   * Whether services of this release run beside those that still published through the default
   * exchange: these keep the right to do so.
   */
  readonly duringUpgrade?: boolean;
}

interface Permissions {
  readonly configure: string;
  readonly read: string;
  readonly write: string;
}

/**
 * What an application may have open at a time: it leaves connections and channels to the others.
 */
export const applicationLimits = (maxConnections = 100) => ({
  "max-connections": maxConnections,
  "max-channels": 10 * maxConnections,
});

const nothing = "^$";
const anything = ".*";
/**
 * Queues that the broker names, for one connection each: an Agent listens for cancel hints on one.
 */
const own = "^amq\\.gen-";
/** The exchange that leads to every queue. No service may write to it. */
const defaultExchange = "amq.default";
const usedDefaultExchange: ReadonlySet<BrokerRole> = new Set([
  "submission",
  "scheduler",
  "supervisor",
]);

/** What RabbitMQ imports. */
export type Definitions = ReturnType<typeof definitionsOf>;

/**
 * The definitions that a broker imports, for operators who own the topology: the same queues as
 * `declareTopology`, and for each user no more rights than its role needs. infra/README.md has them
 * as a table.
 */
export function definitionsOf({ vhost, agents, users, duringUpgrade = false }: DefinitionsOptions) {
  const { exchanges, queues, bindings } = topologyOf(agents);
  const durable = { vhost, durable: true, auto_delete: false };
  return {
    vhosts: [{ name: vhost }],
    users: users.map(toUser),
    permissions: users.map((user) => {
      const { write, ...others } = permissionsOf(user, agents);
      const isWider = duringUpgrade && usedDefaultExchange.has(user.role);
      return {
        user: user.name,
        vhost,
        ...others,
        write: isWider ? `${write}|${only([defaultExchange])}` : write,
      };
    }),
    topic_permissions: users.flatMap((user) => [
      {
        user: user.name,
        vhost,
        exchange: replyExchange,
        read: user.role === "conformance" ? anything : nothing,
        write: repliesOf(user),
      },
      {
        user: user.name,
        vhost,
        exchange: heartbeatExchange,
        read: user.role === "conformance" ? anything : nothing,
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

const toUser = (user: BrokerUser) => ({
  name: user.name,
  password_hash: user.passwordHash,
  hashing_algorithm: "rabbit_password_hashing_sha256",
  // May ask the HTTP API, and sees no message there.
  tags: user.role === "observer" ? ["monitoring"] : [],
  ...(user.role === "application" ? { limits: applicationLimits(user.maxConnections) } : {}),
});

/**
 * Agents reply under their own names alone. Operators send dead replies once more, whose token
 * makes them count.
 */
function repliesOf(user: BrokerUser): string {
  if (user.role === "operations") return "^reply(-\\d+)?\\.";
  if (user.role === "supervisor") return probeRoutes;
  return user.role === "agent" ? `^reply(-\\d+)?\\.(${user.agents.join("|")})\\.` : nothing;
}

/** The mark of a state store, and what a connection holds while it takes another store's away. */
const storeMarks = [storeQueue, ownerOf(storeQueue)];
const hints = [wakeExchange, cancelExchange];
/** The exchanges to which operators send dead letters once more. */
const replayed = [submissionExchange, signalExchange, replyExchange];

function permissionsOf(user: BrokerUser, agents: readonly string[]): Permissions {
  switch (user.role) {
    case "application": {
      const statuses = `^status\\.${escaped(user.statusWord)}(\\..+)?$`;
      const write = only([submissionExchange, signalExchange]);
      return { configure: statuses, read: statuses, write };
    }
    case "submission":
      return {
        configure: only(storeMarks),
        read: only([submissionQueue, signalQueue]),
        write: only([wakeExchange]),
      };
    case "operations":
      return { configure: only(storeMarks), read: nothing, write: only([...hints, ...replayed]) };
    case "scheduler":
      return {
        // It counts messages and consumers, which RabbitMQ 4.3 takes for declaring the queue. And
        // it holds a queue that stands for the one of its own, and declares those that mark a
        // broker.
        configure: only([
          ...agents.map(agentQueue),
          replyQueue,
          ...ownReplyQueues.map(ownerOf),
          canaryQueue,
          ...storeMarks,
        ]),
        read: only([
          ...replyQueues,
          expiredQueue,
          wakeQueue,
          heartbeatQueue,
          deadRequestQueue,
          deadReplyQueue,
          // To bind the queues of submitters.
          statusExchange,
        ]),
        write: `${only([requestExchange, wakeExchange, cancelExchange, eventExchange, statusExchange, unrecordedExchange])}|^status\\.`,
      };
    case "supervisor":
      return {
        configure: only([unrecordedQueue, ...storeMarks]),
        read: nothing,
        write: only([...hints, replyExchange]),
      };
    case "agent":
      return {
        configure: own,
        read: `${only([...user.agents.map(agentQueue), cancelExchange])}|${own}`,
        write: `${only([replyExchange, heartbeatExchange])}|${own}`,
      };
    case "conformance":
      return {
        configure: own,
        read: `${only([replyExchange, heartbeatExchange])}|${own}`,
        write: `${only([requestExchange, cancelExchange])}|${own}`,
      };
    case "observer":
      return { configure: nothing, read: nothing, write: nothing };
  }
}

const escaped = (name: string): string => name.replaceAll(".", "\\.");

/** An expression that matches these names and no others. */
const only = (names: readonly string[]): string => `^(${names.map(escaped).join("|")})$`;

/** A password as the broker stores it: salted SHA-256. */
export function hashPassword(password: string, salt: Buffer = randomBytes(4)): string {
  const digest = createHash("sha256").update(salt).update(password).digest();
  return Buffer.concat([salt, digest]).toString("base64");
}

/** Whether a hash that the broker stores is that of this password. */
export const isHashOf = (hash: string, password: string): boolean =>
  hashPassword(password, Buffer.from(hash, "base64").subarray(0, 4)) === hash;
