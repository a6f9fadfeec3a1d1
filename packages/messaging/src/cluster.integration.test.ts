import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RabbitmqCluster, startRabbitmqCluster } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Broker } from "./broker.ts";
import { connectBroker } from "./connect-broker.ts";
import { inTime } from "./connection/in-time.ts";
import { topologyOf } from "./topology/topology.ts";

/**
 * Milliseconds for one test, below Jest's own limit: a wait that is too long says what it waited
 * for.
 */
const testWithin = 45_000;
const agent = "tester";
const queue = `agent.${agent}`;

let resources = new AsyncDisposableStack();
/** Ends every loop of this file, also those of a test that Jest has given up. */
const over = new AbortController();
const received = new Set<string>();
const warnings: string[] = [];
let cluster: RabbitmqCluster;
let sender: Broker;
let giveUpAt = 0;

/** Three new nodes, with a sender and a receiver. */
async function startCluster(): Promise<void> {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-cluster-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = resources.use(await startRabbitmqCluster({ dataFolder: folder }));
  sender = await open("sender");
  const receiver = await open("receiver");
  received.clear();
  count = 0;
  await receiver.consume(queue, { prefetch: 50 }, async ({ messageId = "" }) => {
    received.add(messageId);
  });
}

beforeAll(startCluster, 120_000);
beforeEach(() => {
  giveUpAt = performance.now() + testWithin;
});
afterAll(async () => {
  over.abort();
  await resources.disposeAsync();
});

/**
 * Connects; the connection is closed when the tests of this file are over, however late it was
 * opened.
 */
async function open(name: string): Promise<Broker> {
  const opening = connectBroker({
    url: cluster.url,
    name,
    topology: "declare",
    agents: [agent],
    log: {
      warn: (fields, text) => void warnings.push(`${name}: ${text} ${JSON.stringify(fields)}`),
      error: () => {},
    },
  });
  resources.defer(async () => {
    const broker = await opening.catch(() => null);
    await broker?.[Symbol.asyncDispose]();
  });
  return opening;
}

/** Rejects at the end of the test's time with what was waited for and how the cluster is then. */
async function expectSoon<Answer>(what: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await inTime(answer, giveUpAt - performance.now(), "the time of the test is over");
  } catch (cause) {
    throw new Error(`${what}: ${String(cause)}\n${await stateOfCluster()}`, { cause });
  }
}

async function stateOfCluster(): Promise<string> {
  const queues = cluster.describeQueues().catch(String);
  const counts = `${count} published, ${received.size} received`;
  const answer = await inTime(queues, 5_000, "no answer").catch(String);
  return [counts, answer, ...warnings.slice(-20)].join("\n");
}

/** Calls `attempt` until it returns true. */
async function untilTrue(attempt: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await attempt())) {
    if (over.signal.aborted || performance.now() > giveUpAt) throw new Error("given up");
    await sleep(20);
  }
}

let count = 0;
/**
 * Publishes until a queue has it, as the resend does. Resolves to how long that took, in
 * milliseconds.
 */
async function publish(): Promise<number> {
  const messageId = `message ${(count += 1)}`;
  const startedAt = performance.now();
  const message = { exchange: "", routingKey: queue, type: "test", body: Buffer.alloc(0) };
  await untilTrue(async () => (await sender.publish({ ...message, messageId })) === "stored");
  return performance.now() - startedAt;
}

/** Publishes one after the other while `work` lasts and until some more were stored after it. */
async function publishWhile(work: () => Promise<void>): Promise<readonly number[]> {
  let isDone = false;
  const took: number[] = [];
  const loop = async (): Promise<void> => {
    for (let after = 0; after < 20; ) {
      took.push(await publish());
      if (isDone) after += 1;
    }
  };
  const working = work().finally(() => {
    isDone = true;
  });
  await expectSoon("messages are stored", Promise.all([working, loop(), loop()]));
  return took;
}

const allReceived = () =>
  expectSoon(
    "all messages are received",
    untilTrue(() => received.size >= count),
  );

test("every queue has a member on each node", async () => {
  const lines = (await cluster.describeQueues()).split("\n");
  for (const { name } of topologyOf([agent]).queues) {
    const line = lines.find((one) => one.startsWith(`${name}\t`)) ?? `${name} is not there`;
    for (const member of cluster.nodes) expect(line).toContain(member.name);
  }
});

test("the node with the leader of a queue is killed: publishing goes on within 2 s, a service can start, and nothing is lost", async () => {
  const leader = await cluster.leaderOf(queue);
  const took = await publishWhile(async () => {
    await leader.kill();
    await publish();
  });
  expect(Math.max(...took)).toBeLessThan(2_000);
  const service = await expectSoon("a service connects", open("late"));
  const others = topologyOf([agent]).queues.filter(({ name }) => name !== queue);
  const consumers = others.map(({ name }) =>
    expectSoon(
      `a service consumes ${name}`,
      service.consume(name, { prefetch: 1 }, async () => {}),
    ),
  );
  await Promise.all(consumers);
  expect(service.isReady).toBe(true);
  await allReceived();
});

test("a node is cut off from the other two: what they confirm is not lost, and all meet again", async () => {
  // A cluster of its own: to start the node that was killed again takes as long.
  await startCluster();
  giveUpAt = performance.now() + testWithin;
  const leader = await cluster.leaderOf(queue);
  const took = await publishWhile(() => cluster.isolate(leader, 3_000));
  await allReceived();
  expect(Math.max(...took)).toBeLessThan(15_000);
});
