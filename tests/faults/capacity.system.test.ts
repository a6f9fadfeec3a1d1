import { setTimeout as sleep } from "node:timers/promises";
import { AgentHeartbeat, agentQueue, heartbeatExchange, heartbeatRoute } from "@holdfast/contracts";
import { newTask } from "@holdfast/load";
import { type System, startSystem } from "@holdfast/processes";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { lifting, liftMs } from "./crane.ts";
import { until } from "./faulty-system.ts";

const lane = "crane";
const steps = 2_000;

interface Crane extends AsyncDisposable {
  readonly system: System;
  readonly brokerUrl: string;
  /** How many steps are in flight by the store: no more can be in the queue, or with the Agent. */
  inFlight(): Promise<number>;
  /**
   * What is in flight, asked for over and over while the time passes: half of the time at most, and
   * ever.
   */
  within(ms: number): Promise<{ readonly usual: number; readonly most: number }>;
  submitAll(): Promise<void>;
}

async function openCrane(scheduler: Readonly<Record<string, string>> = {}): Promise<Crane> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await migratedDatabase());
  const broker = stack.use(await testBroker());
  const system = stack.use(
    await startSystem({
      stateStoreUrl: database.url,
      broker: { url: broker.url, importDefinitions: null },
      workflows: [lifting.definition],
      count: { partners: 0, submission: 0, supervisor: 0, agent: 0 },
      programs: { agent: "tests/faults/slow-agent.ts" },
      env: { scheduler },
    }),
  );
  const options = { url: database.url, applicationName: "test", maxConnections: 2 };
  const store: StateStore = stack.use(await openStateStore(options));
  const inFlight = async (): Promise<number> => {
    const [counted] = await store.countStepsInFlight({ lockedBy: "" });
    return counted?.inFlight ?? 0;
  };
  const owned = stack.move();
  return {
    system,
    brokerUrl: broker.url,
    inFlight,
    async within(ms) {
      const found: number[] = [];
      for (const end = performance.now() + ms; performance.now() < end || found.length < 20; ) {
        found.push(await inFlight());
        await sleep(5);
      }
      const sorted = found.toSorted((a, b) => a - b);
      return { usual: sorted[Math.floor(sorted.length / 2)]!, most: sorted.at(-1)! };
    },
    async submitAll() {
      for (let left = steps; left > 0; left -= 200) {
        const tasks = Array.from({ length: 200 }, (_, index) =>
          newTask({ workflow: lifting.name, input: { id: `${left} ${index}` } }),
        );
        await store.submitTasks(tasks, { actor: "test" });
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * A count that overlaps replies may have taken their steps off already, so for a moment there may
 * be more in flight, as many again at most: see `uncertain` in the Scheduler's allowances.ts. The
 * slower the store counts, the longer the moment.
 */
async function expectWithin(yard: Crane, limit: number): Promise<void> {
  const { usual, most } = await yard.within(1_500);
  expect(usual).toBeLessThanOrEqual(limit);
  expect(most).toBeLessThanOrEqual(2 * limit);
}

test("an Agent never has more than two steps for each slot, and an instance that joins or is killed is felt within about a second", async () => {
  await using yard = await openCrane();
  await yard.system.start("agent", { CONCURRENCY: "5" });
  await yard.submitAll();
  await until(async () => (await yard.inFlight()) > 5);
  await expectWithin(yard, 10);

  const large = await yard.system.start("agent", { CONCURRENCY: "20" });
  const startedAt = performance.now();
  await until(async () => (await yard.inFlight()) > 30);
  // A second, until its heartbeat is stored and read; without heartbeats it would never be felt.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await expectWithin(yard, 50);

  large.signal("SIGKILL");
  const killedAt = performance.now();
  await until(async () => (await yard.inFlight()) <= 10);
  // What it had is done by the instance that is left: up to 50 steps of 100 ms, five at a time.
  // Meanwhile its last heartbeat becomes older than one of the other.
  expect(performance.now() - killedAt).toBeLessThan(5_000 + (50 / 5) * liftMs);
  await expectWithin(yard, 10);
  // A reply takes its step off before the next one is sent, so it is more than the slots at some
  // moments only.
  await until(async () => (await yard.inFlight()) > 5);
});

test("an instance that advertises slots without end, and answers nothing, is given what a hundred slots are given", async () => {
  await using yard = await openCrane({ MAX_IN_FLIGHT: "1000" });
  const connection = await connect(yard.brokerUrl, { noDelay: true });
  await using _connection = { [Symbol.asyncDispose]: () => connection.close() };
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  await channel.consume(agentQueue(lane), () => {});
  const body = AgentHeartbeat.encode({
    agent: lane,
    instance: "liar",
    capacity: 2 ** 31 - 1,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
    everyMs: 2 ** 31 - 1,
  });
  channel.publish(heartbeatExchange, heartbeatRoute(lane), body, { type: AgentHeartbeat.type });
  // Heartbeats are stored, and read, within a second: nothing else shows that a Scheduler has read
  // them.
  await sleep(1_500);
  await yard.submitAll();
  await until(async () => (await yard.inFlight()) > 150);
  expect((await yard.within(2_000)).most).toBe(200);
});
