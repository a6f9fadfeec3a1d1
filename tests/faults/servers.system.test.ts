import { setTimeout as sleep } from "node:timers/promises";
import { agentQueue, expiredQueue, replyQueues, wakeQueue } from "@holdfast/contracts";
import { askBroker, createDatabase, type LocalStack, startLocalStack } from "@holdfast/local-stack";
import type { SampleKind } from "@holdfast/orders";
import { type ServiceName, setFaultSettings } from "@holdfast/processes";
import { afterAll, expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  retried,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./faulty-system.ts";

const mixed: readonly SampleKind[] = Array.from({ length: 40 }, (_, index) =>
  index % 4 === 3 ? "declined" : "good",
);
const expected = allRight({ processed: 30, undone: 10 });

test("purging every queue while orders are in flight delays orders, and loses none", async () => {
  await using faulty = await startFaultySystem({ apart: "all", count: { agent: 0 } });
  const { system } = faulty;
  const submitted: string[] = [];
  const submitMixed = async () => {
    const ids = await faulty.submit(mixed);
    submitted.push(...ids);
    return ids;
  };
  await submitMixed();
  // Requests wait in their queue until the Agent is started that takes them.
  for (const agent of ["inventory", "payments", "shipping", "notifications"]) {
    await purgeSome(faulty, [agentQueue(agent)]);
    await system.start("agent", { AGENT_NAMES: agent });
  }

  // Replies wait while no Scheduler runs.
  await setFaultSettings(faulty.system, "inventory", { latencyMs: 700 });
  await purgeSome(faulty, replyQueues, async () => {
    await startScheduler(faulty);
    const ids = await submitMixed();
    await until(async () => (await faulty.query(atWork(ids))).length > 0);
    await killAll(faulty, "scheduler");
  });
  await setFaultSettings(faulty.system, "inventory", {});

  // Requests that no Agent takes in time come back, and wait while no Scheduler runs.
  await killAll(faulty, "agent");
  await purgeSome(faulty, [expiredQueue], async () => {
    await startScheduler(faulty);
    const ids = await submitMixed();
    await until(async () => (await faulty.query(atWork(ids))).length > 0);
    await killAll(faulty, "scheduler");
  });
  let orders = 0;
  await purgeSome(faulty, [wakeQueue], async () => {
    submitted.push(await faulty.order("good", orders));
    orders += 1;
  });

  await startScheduler(faulty);
  await system.start("agent");
  const declined = (submitted.length - orders) / 4;
  const ids = await faulty.query<{ id: string }>("select task_id::text as id from state.tasks");
  expect(await faulty.verdict(ids.map(({ id }) => id))).toEqual(
    allRight({ processed: submitted.length - declined, undone: declined }),
  );
});

/**
 * First steps of these tasks whose request RabbitMQ has had: marked, or already answered, which is
 * never marked.
 */
const atWork = (ids: readonly string[]) => `select 1 from state.steps
  where name = 'reserve' and (confirmed_at is not null or process_state = 'processed')
    and task_id = any('{${ids.join(",")}}')`;

/**
 * Throws away what waits in these queues, once something does. What brings messages there is done
 * again after five seconds in which none came: a killed service may have been about to send the
 * only one.
 */
async function purgeSome(
  { broker }: FaultySystem,
  queues: readonly string[],
  bring: () => Promise<void> = async () => {},
): Promise<void> {
  const purge = async () => {
    let purged = 0;
    for (const queue of queues) purged += (await broker?.purge(queue)) ?? 0;
    return purged > 0;
  };
  await until(async () => {
    await bring();
    const giveUpAt = performance.now() + 5_000;
    let purged = await purge();
    while (!purged && performance.now() < giveUpAt) {
      await sleep(20);
      purged = await purge();
    }
    return purged;
  });
}

async function startScheduler({ system }: FaultySystem): Promise<void> {
  if (system.running("scheduler").length === 0) await system.start("scheduler");
}

async function killAll({ system }: FaultySystem, name: ServiceName): Promise<void> {
  const running = system.running(name);
  for (const service of running) service.signal("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
}

test("after every connection to the broker was closed with orders in flight, all services reconnect", async () => {
  await using faulty = await startFaultySystem({ apart: [], count: { scheduler: 2 } });
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
/** The broker for a new store: that of the test before has gone. */
const brokerOf = ({ url, importDefinitions }: LocalStack["broker"]) => ({
  url,
  importDefinitions,
  takesOver: true,
});
afterAll(async () => {
  await owned.disposeAsync();
});

test("after Postgres was restarted without warning with orders in flight, all services go on", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  await using faulty = await startFaultySystem({
    apart: [],
    servers: { stateStoreUrl: database.url, broker: brokerOf(broker) },
  });
  const ids = await faulty.submit(mixed);
  await postgres.restart("immediate");
  const more = await retried(() => faulty.submit(mixed));
  await postgres.restart("immediate");
  const verdict = await faulty.verdict([...ids, ...more]);
  expect(verdict).toEqual(allRight({ processed: 60, undone: 20 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
});

test("after the broker was wiped with requests in its queues, they are published again at once, not at complete-by", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  // Far more than a broker takes to come back: what can no longer be begun is not published again.
  const longest = 900_000;
  await using faulty = await startFaultySystem({
    apart: "all",
    servers: { stateStoreUrl: database.url, broker: brokerOf(broker) },
    count: { scheduler: 2 },
    limits: { startWithin: longest, completeWithin: longest },
  });
  const agents = faulty.system.running("agent");
  for (const agent of agents) agent.signal("SIGSTOP");
  const ids = await faulty.submit(mixed);
  const marked = "select 1 from state.steps where confirmed_at is not null";
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
});

test("a submitter's queue that accepts nothing delays no order", async () => {
  const { broker, postgres } = await startServers();
  await using database = await createDatabase(postgres.url);
  await using faulty = await startFaultySystem({
    apart: [],
    servers: { stateStoreUrl: database.url, broker: brokerOf(broker) },
  });
  const queue = "status.still";
  await askBroker(broker.url, (channel) =>
    channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } }),
  );
  await broker.rabbitmqctl("eval", `sys:suspend(whereis('holdfast_${queue}')).`);
  // These notifications are more than the broker takes from one connection for a queue that is
  // stuck.
  const noisy = await Promise.all(
    Array.from({ length: 100 }, (_, seed) => faulty.order("good", seed, { "reply-to": queue })),
  );
  expect(await faulty.verdict(noisy)).toEqual(allRight({ processed: 100, undone: 0 }));
  const ids = await faulty.submit(mixed);
  expect(await faulty.verdict(ids)).toEqual(expected);
});
