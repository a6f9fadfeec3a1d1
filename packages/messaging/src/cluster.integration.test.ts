import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClusterNode,
  type RabbitmqCluster,
  startRabbitmqCluster,
} from "@holdfast/local-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Broker } from "./broker.ts";
import { connectBroker } from "./connect-broker.ts";
import { topologyOf } from "./topology.ts";

const resources = new AsyncDisposableStack();
let cluster: RabbitmqCluster;
let sender: Broker;
let receiver: Broker;
const received = new Set<string>();
const agent = "tester";
const queue = `agent.${agent}`;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-cluster-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = resources.use(await startRabbitmqCluster({ dataFolder: folder }));
  sender = resources.use(await open("sender"));
  receiver = resources.use(await open("receiver"));
  resources.use(
    await receiver.consume(queue, { prefetch: 50 }, async ({ messageId = "" }) => {
      received.add(messageId);
    }),
  );
}, 120_000);
afterAll(() => resources.disposeAsync());

const open = (name: string) =>
  connectBroker({
    url: cluster.url,
    name,
    topology: "declare",
    agents: [agent],
    log: { warn: () => {}, error: () => {} },
  });

let count = 0;
/** Publishes until a queue has it, as the relay does. Resolves to how long that took, in milliseconds. */
async function publish(): Promise<number> {
  const messageId = `message ${(count += 1)}`;
  const startedAt = performance.now();
  const message = { exchange: "", routingKey: queue, type: "test", body: Buffer.alloc(0) };
  while ((await sender.publish({ ...message, messageId })) !== "stored") await sleep(20);
  return performance.now() - startedAt;
}

/** Publishes one after the other while `work` lasts and until some more were stored after it. */
async function publishing(work: () => Promise<void>): Promise<readonly number[]> {
  const over = new AbortController();
  const took: number[] = [];
  const loop = async (): Promise<void> => {
    for (let after = 0; after < 20; ) {
      took.push(await publish());
      if (over.signal.aborted) after += 1;
    }
  };
  const loops = [loop(), loop()];
  await work();
  over.abort();
  await Promise.all(loops);
  return took;
}

const longest = (times: readonly number[]): number => Math.max(...times);

async function allReceived(): Promise<void> {
  while (received.size < count) await sleep(20);
}

/** Kills the node while `work` lasts. */
async function without(node: ClusterNode, work: () => Promise<void>): Promise<void> {
  await node.kill();
  try {
    await work();
  } finally {
    await node.start();
  }
}

const membersOf = async (node: ClusterNode): Promise<readonly string[]> => {
  const columns = ["list_queues", "-p", "holdfast", "--no-table-headers", "name", "members"];
  return (await node.rabbitmqctl(...columns)).split("\n").filter((line) => line !== "");
};

test("every queue has a member on each node", async () => {
  const [node] = cluster.nodes;
  const queues = topologyOf([agent]).queues.map(({ name }) => name);
  const lines = await membersOf(node!);
  for (const name of queues) {
    const line = lines.find((one) => one.startsWith(`${name}\t`)) ?? `${name} is not there`;
    for (const member of cluster.nodes) expect(line).toContain(member.name);
  }
});

test("the node with the leader of a queue is killed: publishing goes on within 2 s, a service can start, and nothing is lost", async () => {
  const leader = await cluster.leaderOf(queue);
  await without(leader, async () => {
    const took = await publishing(async () => void (await publish()));
    expect(longest(took)).toBeLessThan(2_000);
    await using service = await open("late");
    for (const { name } of topologyOf([agent]).queues.filter((one) => one.name !== queue)) {
      await service.consume(name, { prefetch: 1 }, async () => {});
    }
    expect(service.isReady).toBe(true);
  });
  await allReceived();
});

test("a node is cut off from the other two: what they confirm is not lost, and all meet again", async () => {
  const leader = await cluster.leaderOf(queue);
  const took = await publishing(async () => {
    await cluster.isolate(leader);
    await sleep(3_000);
    await publish();
    await cluster.rejoin(leader);
  });
  await allReceived();
  expect(longest(took)).toBeLessThan(15_000);
});
