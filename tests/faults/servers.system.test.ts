import { agentQueue, expiredQueue, replyQueues, wakeQueue } from "@holdfast/contracts";
import { askBroker, createDatabase, type LocalStack, startLocalStack } from "@holdfast/local-stack";
import type { ServiceName } from "@holdfast/local-system";
import type { SampleKind } from "@holdfast/orders";
import { afterAll, expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./harness.ts";

const mixed: readonly SampleKind[] = Array.from({ length: 40 }, (_, index) =>
  index % 4 === 3 ? "declined" : "good",
);
const expected = allRight({ processed: 30, undone: 10 });

test("every queue is purged while orders are under way: that costs time, and no order", async () => {
  await using faulty = await startFaultySystem({ count: { agent: 0 } });
  const { system } = faulty;
  await faulty.submit(mixed);
  // Requests wait in their queue until the Agent is started that takes them.
  for (const agent of ["inventory", "payments", "shipping", "notifications"]) {
    await purgeSome(faulty, [agentQueue(agent)]);
    await system.start("agent", { AGENTS: agent });
  }

  // Replies wait while no Scheduler runs.
  await turnInventory(faulty, { latencyMs: 700 });
  await faulty.submit(mixed);
  await until(async () => (await faulty.query(atWork)).length > 0);
  await killAll(faulty, "scheduler");
  await purgeSome(faulty, replyQueues);
  await turnInventory(faulty, {});

  // Requests that no Agent takes in time come back, and wait while no Scheduler runs.
  await killAll(faulty, "agent");
  await system.start("scheduler");
  await faulty.submit(mixed);
  await until(async () => ((await faulty.broker?.depth(agentQueue("inventory"))) ?? 0) > 0);
  await killAll(faulty, "scheduler");
  await purgeSome(faulty, [expiredQueue]);
  await faulty.order("good", 0);
  await purgeSome(faulty, [wakeQueue]);

  await system.start("scheduler");
  await system.start("agent");
  const ids = await faulty.query<{ id: string }>("select task_id::text as id from state.tasks");
  expect(await faulty.verdict(ids.map(({ id }) => id))).toEqual(
    allRight({ processed: 91, undone: 30 }),
  );
}, 120_000);

/** Steps of which an Agent has the request. */
const atWork = `select 1 from state.steps
  where process_state = 'processing' and name = 'reserve' and dispatched_at is not null`;

const turnInventory = ({ system }: FaultySystem, knobs: object) =>
  fetch(`${system.partnersUrl}/knobs/inventory`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(knobs),
  });

/** Throws away what waits in these queues, once something does. */
async function purgeSome({ broker }: FaultySystem, queues: readonly string[]): Promise<void> {
  await until(async () => {
    let purged = 0;
    for (const queue of queues) purged += (await broker?.purge(queue)) ?? 0;
    return purged > 0;
  });
}

async function killAll({ system }: FaultySystem, name: ServiceName): Promise<void> {
  const running = system.running(name);
  for (const service of running) service.signal("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
}

test("every connection to the broker is closed while orders are under way: all come back", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 2 } });
  const ids = await faulty.submit(mixed);
  await faulty.broker?.closeAllConnections();
  await faulty.submit(["good"]);
  await faulty.broker?.closeAllConnections();
  expect(await faulty.verdict(ids)).toEqual(expected);
});

/** Servers of our own, which the tests below break one after the other. */
const owned = new AsyncDisposableStack();
let servers: LocalStack | null = null;
async function startServers(): Promise<LocalStack> {
  if (servers !== null) return servers;
  const { path: dataFolder } = owned.use(await temporaryFolder());
  servers = owned.use(await startLocalStack({ purpose: "demo", dataFolder }));
  return servers;
}
afterAll(async () => {
  await owned.disposeAsync();
});

test("Postgres is restarted without warning while orders are under way: all services go on", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: database.url, broker },
  });
  const ids = await faulty.submit(mixed);
  await postgres.restart("immediate");
  const more = await retried(() => faulty.submit(mixed));
  await postgres.restart("immediate");
  const verdict = await faulty.verdict([...ids, ...more]);
  expect(verdict).toEqual(allRight({ processed: 60, undone: 20 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
});

test("the broker is wiped with requests in its queues: they are published again at once, not at complete-by", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  const longest = 120_000;
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: database.url, broker },
    count: { scheduler: 2 },
    limits: { startWithin: longest, completeWithin: longest },
  });
  const agents = faulty.system.running("agent");
  for (const agent of agents) agent.signal("SIGSTOP");
  const ids = await faulty.submit(mixed);
  const marked = "select 1 from state.steps where dispatched_at is not null";
  await until(async () => (await faulty.query(marked)).length >= ids.length);
  for (const agent of agents) agent.signal("SIGKILL");
  await broker.rabbitmqctl("stop_app");
  await broker.rabbitmqctl("reset");
  await broker.rabbitmqctl("start_app");
  await faulty.system.broker.restore();
  const backAt = performance.now();
  await faulty.system.start("agent");
  expect(await faulty.verdict(ids)).toEqual(expected);
  const took = Math.round(performance.now() - backAt);
  process.stdout.write(`broker wiped: ${ids.length} orders ended ${took} ms after it was back\n`);
  expect(took).toBeLessThan(longest / 2);
  expect(await faulty.query("select 1 from state.events where reason = 'step.expired'")).toEqual(
    [],
  );
}, 180_000);

test("a submitter's queue that stands still holds up no order", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: database.url, broker },
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
