import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventExchange, statusExchange } from "@holdfast/contracts";
import { askBroker, openQueries, type Queries } from "@holdfast/local-stack";
import { topologyOf, userOf } from "@holdfast/messaging";
import { operatorToken, type System, startSystem } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { diceOf } from "../inputs/dice.ts";
import { agents } from "../inputs/hostile-message.ts";
import { consumers, type Witnesses } from "./consumers.ts";
import { type MessageSender, openMessageSender } from "./send-messages.ts";
import { fireDeep, fireValid, isStalled } from "./volleys.ts";

const stack = new AsyncDisposableStack();
const refused = new Set<string>();
let system: System;
let brokerUrl: string;
let messages: MessageSender;
let queries: Queries;

beforeAll(async () => {
  const database = stack.use(await migratedDatabase());
  const broker = stack.use(await testBroker());
  const dataFolder = await mkdtemp(join(tmpdir(), "holdfast-volleys-"));
  stack.defer(() => rm(dataFolder, { recursive: true }));
  brokerUrl = broker.url;
  system = stack.use(
    await startSystem({
      stateStoreUrl: database.url,
      broker,
      dataFolder,
      apart: [],
      count: { agent: 0 },
      onLog: (line) => {
        if (line.msg === "reply refused") refused.add(String(line["taskId"]));
      },
    }),
  );
  // Requests of the administrator come further than to the check of who sent them.
  const schedulers = `${system.broker.userOf("scheduler")},${userOf(brokerUrl)}`;
  await system.start("agent", { SCHEDULER_USERS: schedulers });
  queries = stack.use(await openQueries(database.url));
  messages = stack.use(await openMessageSender(brokerUrl));
});
afterAll(() => stack.disposeAsync());

// First: an Agent that is behind may leave its queue to others for a while.
test("volleys go to every queue that is consumed, and to every exchange that is listened to", async () => {
  const { queues, exchanges, bindings } = topologyOf(agents);
  const consumed = await askBroker(brokerUrl, async (channel) => {
    const found: string[] = [];
    for (const { name } of queues) {
      if ((await channel.checkQueue(name)).consumerCount > 0) found.push(name);
    }
    return found;
  });
  // What leads to no queue of ours is listened to, or is for others to bind.
  const bound = new Set(bindings.map(({ exchange }) => exchange));
  const forOthers = new Set([eventExchange, statusExchange]);
  const listened = exchanges
    .map(({ name }) => name)
    .filter((name) => !bound.has(name) && !forOthers.has(name));
  const read = new Set(consumers.flatMap(({ reads }) => reads));
  expect([...read].toSorted()).toEqual([...consumed, ...listened].toSorted());
});

const kinds = consumers.map((consumer) => ({ ...consumer, queue: consumer.reads[0] }));

test.each(kinds)(
  "a good message is recorded at once behind as many deep ones as the consumer of $queue prefetches: $target",
  async (consumer) => {
    const seen: Witnesses = {
      has: async (sql) => (await queries.query(sql)).length > 0,
      refused: (taskId) => refused.has(taskId),
    };
    const around = {
      userId: userOf(brokerUrl),
      operatorToken,
      order: () => null,
      bait: () => null,
    };
    const firing = { around, seen, messages, sent: () => {} };
    const { signal } = new AbortController();
    const { target } = consumer;
    const behindDeep = await fireDeep(consumer, diceOf(1, 1), firing, signal);
    // On a slow machine as many valid ones take as long.
    const isSlow = isStalled({ target, behindDeep, behindValid: 0 });
    const behindValid = isSlow ? await fireValid(consumer, diceOf(1, 2), firing, signal) : 0;
    expect(isStalled({ target, behindDeep, behindValid })).toBe(false);
  },
);
