import { randomBytes } from "node:crypto";
import { probeRoute, replyQueue, replyQueues, storeQueue } from "@holdfast/contracts";
import { hashPassword, inspectBroker } from "@holdfast/messaging";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Channel, type ChannelModel, connect } from "amqplib";
import { readFile } from "./repository.ts";
import { rightsTable, type Verb, verbs } from "./rights-table.ts";

interface Named {
  readonly name: string;
}

interface Permission {
  readonly user: string;
}

interface Definitions {
  readonly permissions: readonly Permission[];
  readonly topic_permissions: readonly Permission[];
  readonly exchanges: readonly (Named & { readonly type: string })[];
  readonly queues: readonly (Named & { readonly arguments: Record<string, unknown> })[];
}

const file = "infra/rabbitmq/definitions-per-agent.json";
const table = rightsTable();
const shipped = JSON.parse(readFile(file)) as Definitions;
const users = shipped.permissions.map(({ user }) => user);
const agents = shipped.queues.flatMap(({ name }) => /^agent\.(.+)$/.exec(name)?.[1] ?? []);
const password = randomBytes(12).toString("hex");

/** Queues beside those of Holdfast: of applications, and of other systems. */
const otherQueues = ["status.application", "status.application.returns", "status.other", "other"];
const owner = "scheduler.replies.1.owner";
const queues = [...shipped.queues.map(({ name }) => name), ...otherQueues];
const ownExchanges = shipped.exchanges.map(({ name }) => name);
const exchanges = [...ownExchanges, "amq.default", "amq.topic"];

let broker: TestBroker;
let administrator: ChannelModel;
const connections = new Map<string, ChannelModel>();

beforeAll(async () => {
  broker = await testBroker();
  const vhost = decodeURIComponent(new URL(broker.url).pathname.slice(1));
  if (broker.importDefinitions === null) throw new Error("Set TEST_BROKER_MANAGEMENT_URL");
  const here = JSON.parse(
    readFile(file).replaceAll('"vhost": "holdfast"', `"vhost": "${vhost}"`),
  ) as Definitions;
  await broker.importDefinitions({
    ...here,
    vhosts: [{ name: vhost }],
    users: users.map((user) => ({
      name: nameOf(user),
      password_hash: hashPassword(password),
      hashing_algorithm: "rabbit_password_hashing_sha256",
      tags: user === "observer" ? ["monitoring"] : [],
    })),
    permissions: here.permissions.map(own),
    topic_permissions: here.topic_permissions.map(own),
  });
  administrator = await connectAs(broker.url);
  const channel = await administrator.createChannel();
  for (const queue of otherQueues) await channel.assertQueue(queue);
  for (const user of users) connections.set(user, await connectAs(urlOf(user)));
});
afterAll(async () => {
  for (const connection of [...connections.values(), administrator]) await connection.close();
  await broker[Symbol.asyncDispose]();
});

const own = (permission: Permission) => ({ ...permission, user: nameOf(permission.user) });

/** Users belong to the whole broker, so those of this virtual host have names of their own. */
const nameOf = (user: string): string =>
  `${decodeURIComponent(new URL(broker.url).pathname.slice(1))}.${user}`;

const urlOf = (user: string): string =>
  Object.assign(new URL(broker.url), { username: nameOf(user), password }).href;

async function connectAs(url: string): Promise<ChannelModel> {
  const connection = await connect(url, { noDelay: true });
  return connection.on("error", () => {});
}

/** The words with which the broker refuses an act; null: it let the user do it. */
async function refusalOf(user: string, act: (channel: Channel) => unknown): Promise<string | null> {
  const connection = connections.get(user);
  if (connection === undefined) throw new Error(`${user} is not connected`);
  const channel = await connection.createConfirmChannel();
  const { promise: refused, reject } = Promise.withResolvers<never>();
  channel.on("error", reject);
  refused.catch(() => {});
  try {
    await Promise.race([act(channel), refused]);
    await Promise.race([channel.waitForConfirms(), refused]);
    await channel.close();
    return null;
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: number };
    if (code !== 403) throw error;
    return message;
  }
}

const isAllowed = async (user: string, act: (channel: Channel) => unknown): Promise<boolean> =>
  (await refusalOf(user, act)) === null;

const argumentsOf = (queue: string): Record<string, unknown> =>
  shipped.queues.find(({ name }) => name === queue)?.arguments ?? {};

const onQueue: Readonly<Record<Verb, (user: string, queue: string) => Promise<boolean>>> = {
  configure: (user, queue) =>
    isAllowed(user, (channel) => channel.assertQueue(queue, { arguments: argumentsOf(queue) })),
  read: (user, queue) => isAllowed(user, (channel) => channel.get(queue, { noAck: true })),
  // The broker asks for the queue before it asks for the exchange.
  async write(user, queue) {
    const refusal = await refusalOf(user, (channel) => channel.bindQueue(queue, "amq.topic", "x"));
    return refusal === null || /access to exchange/.test(refusal);
  },
};

const onExchange: Readonly<Record<Verb, (user: string, exchange: string) => Promise<boolean>>> = {
  configure: async (user, exchange) => {
    if (exchange.startsWith("amq.")) return false; // RabbitMQ refuses it to all.
    const type = shipped.exchanges.find(({ name }) => name === exchange)?.type ?? "";
    return isAllowed(user, (channel) => channel.assertExchange(exchange, type));
  },
  async read(user, exchange) {
    if (exchange === "amq.default") return false; // Nothing is bound to it.
    for (const queue of ["", ...otherQueues]) {
      const isBound = await isAllowed(user, async (channel) => {
        const name =
          queue === "" ? (await channel.assertQueue("", { exclusive: true })).queue : queue;
        await channel.bindQueue(name, exchange, "x");
      });
      if (isBound) return true;
    }
    return false;
  },
  async write(user, exchange) {
    for (const key of ["x", probeRoute(replyQueue), ...routes(user)]) {
      const name = exchange === "amq.default" ? "" : exchange;
      if (await isAllowed(user, (channel) => channel.publish(name, key, Buffer.alloc(0))))
        return true;
    }
    return false;
  },
};

const routes = (agent: string): readonly string[] => [
  `reply.${agent}.x`,
  `reply-8.${agent}.x`,
  `heartbeat.${agent}`,
];

test("the table of rights has a row for each user, and no other", () => {
  expect([...table.keys()].toSorted()).toEqual(users.toSorted());
});

describe.each(users)("%s", (user) => {
  const listed = (verb: Verb, name: string) =>
    table.get(user)?.[verb].some((pattern) => pattern.test(name)) ?? false;

  test.each(verbs)("may %s the queues of the table, and no other", async (verb) => {
    const allowed: string[] = [];
    for (const queue of queues) if (await onQueue[verb](user, queue)) allowed.push(queue);
    expect(allowed).toEqual(queues.filter((name) => listed(verb, name)));
  });

  test.each(verbs)("may %s the exchanges of the table, and no other", async (verb) => {
    const allowed: string[] = [];
    for (const name of exchanges) if (await onExchange[verb](user, name)) allowed.push(name);
    expect(allowed).toEqual(exchanges.filter((name) => listed(verb, name)));
  });

  test("may make a new queue, or hold one of its own, only where the table says so", async () => {
    const { exclusive, ...names } = {
      exclusive: true,
      owner,
      fresh: "agent.nobody",
      other: "mine",
    };
    for (const name of Object.values(names)) {
      const may = await isAllowed(user, (channel) =>
        channel.assertQueue(name, { exclusive, autoDelete: true }),
      );
      // Who counts an Agent's consumers may do so for the Agents that there are.
      expect([name, may]).toEqual([name, name !== "agent.nobody" && listed("configure", name)]);
    }
  });

  test("says whose the virtual host is, if it is a service with a store", async () => {
    const may = await isAllowed(user, (channel) =>
      channel.assertQueue(storeQueue, { arguments: { "x-queue-type": "quorum" } }),
    );
    expect(may).toBe(["submission", "operations", "scheduler", "supervisor"].includes(user));
    expect(listed("configure", storeQueue)).toBe(may);
  });

  test("sends probes the way of a reply, if it is the Supervisor or operations", async () => {
    const allowed: string[] = [];
    for (const queue of replyQueues) {
      const publish = (channel: Channel) =>
        channel.publish("holdfast.replies", probeRoute(queue), Buffer.alloc(0));
      if (await isAllowed(user, publish)) allowed.push(queue);
    }
    const may = user === "supervisor" || user === "operations";
    expect(allowed).toEqual(may ? replyQueues : []);
  });

  test("publishes replies and heartbeats under its own name only, if it is an Agent; operations replays replies of all", async () => {
    const allowed: string[] = [];
    for (const agent of agents) {
      for (const route of routes(agent)) {
        const exchange = route.startsWith("heartbeat") ? "holdfast.heartbeats" : "holdfast.replies";
        const publish = (channel: Channel) => channel.publish(exchange, route, Buffer.alloc(0));
        if (await isAllowed(user, publish)) allowed.push(route);
      }
    }
    const replies = agents.flatMap(routes).filter((route) => route.startsWith("reply"));
    const others = user === "operations" ? replies : [];
    expect(allowed).toEqual(agents.includes(user) ? routes(user) : others);
  });
});

test("observer sees through the HTTP API how queues are declared, and whether the broker takes messages", async () => {
  const management = process.env["TEST_BROKER_MANAGEMENT_URL"] ?? "";
  const facts = await inspectBroker({
    url: urlOf("observer"),
    managementUrl: Object.assign(new URL(management), { username: nameOf("observer"), password })
      .href,
    name: "test",
    agents,
  });
  expect(facts.blocked).toBeNull();
  expect(facts.missingExchanges).toEqual([]);
  expect(facts.queues.map(({ name, state, difference }) => ({ name, state, difference }))).toEqual(
    facts.queues.map(({ name }) => ({ name, state: "there", difference: null })),
  );
});
