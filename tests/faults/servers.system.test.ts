import { replyQueues } from "@holdfast/contracts";
import { askBroker, startLocalStack } from "@holdfast/local-stack";
import type { SampleKind } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, temporaryFolder, until } from "./harness.ts";

const mixed: readonly SampleKind[] = Array.from({ length: 40 }, (_, index) =>
  index % 4 === 3 ? "declined" : "good",
);
const expected = allRight({ processed: 30, undone: 10 });

test("every queue is purged while orders are under way: that costs time, and no order", async () => {
  await using faulty = await startFaultySystem();
  const ids = await faulty.submit(mixed);
  const queues = ["inventory", "payments", "shipping"].map((agent) => `agent.${agent}`);
  for (let round = 0; round < 5; round += 1) {
    for (const queue of [...queues, ...replyQueues, "requests.expired", "scheduler.wake"]) {
      await faulty.broker?.purge(queue);
    }
  }
  expect(await faulty.verdict(ids)).toEqual(expected);
});

test("every connection to the broker is closed while orders are under way: all come back", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 2 } });
  const ids = await faulty.submit(mixed);
  await faulty.broker?.closeAllConnections();
  await faulty.submit(["good"]);
  await faulty.broker?.closeAllConnections();
  expect(await faulty.verdict(ids)).toEqual(expected);
});

test("Postgres is restarted without warning while orders are under way: all services go on", async () => {
  await using data = await temporaryFolder();
  await using stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  const { broker, postgres } = stack;
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: postgres.url, broker },
  });
  const ids = await faulty.submit(mixed);
  await postgres.restart("immediate");
  const more = await retried(() => faulty.submit(mixed));
  await postgres.restart("immediate");
  const verdict = await faulty.verdict([...ids, ...more]);
  expect(verdict).toEqual(allRight({ processed: 60, undone: 20 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
});

test("a submitter's queue that stands still holds up no order", async () => {
  await using data = await temporaryFolder();
  await using stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  const { broker, postgres } = stack;
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: postgres.url, broker },
  });
  const queue = "status.still";
  await askBroker(broker.url, (channel) =>
    channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } }),
  );
  await broker.rabbitmqctl("eval", `sys:suspend(whereis('holdfast_${queue}')).`);
  // What they are told is more than the broker takes from one connection for a queue that is stuck.
  const noisy = await Promise.all(
    Array.from({ length: 100 }, (_, seed) => faulty.order("good", seed, { "reply-to": queue })),
  );
  expect(await faulty.verdict(noisy)).toEqual(allRight({ processed: 100, undone: 0 }));
  const ids = await faulty.submit(mixed);
  expect(await faulty.verdict(ids)).toEqual(expected);
});

async function retried<T>(work: () => Promise<T>): Promise<T> {
  let result: T | undefined;
  await until(async () => {
    result = await work().catch(() => undefined);
    return result !== undefined;
  });
  return result as T;
}
