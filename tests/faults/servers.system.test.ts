import { startLocalStack } from "@holdfast/local-stack";
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
    for (const queue of [...queues, "scheduler.replies", "requests.expired", "scheduler.wake"]) {
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
    servers: { stateStoreUrl: postgres.url, brokerUrl: broker.url },
  });
  const ids = await faulty.submit(mixed);
  await postgres.restart("immediate");
  const more = await retried(() => faulty.submit(mixed));
  await postgres.restart("immediate");
  const verdict = await faulty.verdict([...ids, ...more]);
  expect(verdict).toEqual(allRight({ processed: 60, undone: 20 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
});

async function retried<T>(work: () => Promise<T>): Promise<T> {
  let result: T | undefined;
  await until(async () => {
    result = await work().catch(() => undefined);
    return result !== undefined;
  });
  return result as T;
}
