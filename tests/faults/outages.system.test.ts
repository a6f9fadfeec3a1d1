import { startLocalStack } from "@holdfast/local-stack";
import { fulfilOrder, type SampleKind } from "@holdfast/orders";
import { setFaultSettings, withLimits } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./faulty-system.ts";

const kinds: readonly SampleKind[] = ["good", "good", "good", "declined"];
const postAll = (faulty: FaultySystem, from: number) =>
  Promise.all(kinds.map((kind, index) => faulty.order(kind, from + index)));

test("while the broker is killed, and later takes no messages, orders are accepted, and all of them end", async () => {
  await using data = await temporaryFolder();
  await using stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  const { broker, postgres } = stack;
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: postgres.url, broker },
  });
  const ids = [...(await postAll(faulty, 0))];

  await broker.kill();
  ids.push(...(await postAll(faulty, 10)));
  await broker.start();
  ids.push(...(await postAll(faulty, 20)));
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 9, undone: 3 }));

  await broker.rabbitmqctl("set_vm_memory_high_watermark", "0.000001");
  await until(() => faulty.log.some(({ msg }) => msg === "broker blocks publishers"));
  const meanwhile = await postAll(faulty, 30);
  await broker.rabbitmqctl("set_vm_memory_high_watermark", "0.6");
  expect(await faulty.verdict(meanwhile)).toEqual(allRight({ processed: 3, undone: 1 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
});

/**
 * A workflow with the retries that the orders without cool-downs have, then a rest, over and over.
 */
const withCoolDowns = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-with-cool-downs.v1",
  limits: {
    startWithin: 1_000,
    completeWithin: 1_000,
    retry: { failures: 2, backoff: 100, max: 200 },
    coolDown: { wait: 300, times: null },
  },
});

test("while a remote service is down for longer than all retries together, orders wait, and are then fulfilled", async () => {
  const retry = { failures: 2, backoff: 100, max: 200 };
  await using faulty = await startFaultySystem({ limits: { retry } });
  await setFaultSettings(faulty.system, "shipping", { down: true });
  // Few orders: while its circuit is open, the Agent makes one call in five seconds, and counts no
  // other failure.
  const waiting = await faulty.submit(["good"], withCoolDowns);
  // They have as many retries and no cool-downs: when they have given up, the outage was long
  // enough.
  const givingUp = await faulty.submit(["good"]);
  const givenUp = `select 1 from state.tasks where goal = 'undo' and task_id = '${givingUp[0]}'`;
  await until(async () => (await faulty.query(givenUp)).length === 1);
  const coolDowns = "select 1 from state.events where step = 'ship' and action = 'coolDown'";
  await until(async () => (await faulty.query(coolDowns)).length > 0);
  await setFaultSettings(faulty.system, "shipping", {});
  expect(await faulty.verdict(waiting)).toEqual(allRight({ processed: 1, undone: 0 }));
  // What it may have shipped could not be called back before.
  expect(await faulty.verdict(givingUp)).toEqual(allRight({ processed: 0, undone: 1 }));
});

test("while a remote service is down for less than the retries of the shop's workflow, orders wait", async () => {
  await using faulty = await startFaultySystem();
  await setFaultSettings(faulty.system, "shipping", { down: true });
  const ids = await postAll(faulty, 0);
  await until(
    async () =>
      (await faulty.query("select 1 from state.steps where name = 'ship' and failure_count > 0"))
        .length === 3,
  );
  await setFaultSettings(faulty.system, "shipping", {});
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 3, undone: 1 }));
});

test("after all Schedulers were killed with orders in flight, the next one continues from their state", async () => {
  await using faulty = await startFaultySystem({ apart: ["scheduler"], count: { scheduler: 3 } });
  const ids = await faulty.submit(Array.from({ length: 60 }, () => "good" as const));
  const done = "select 1 from state.steps where process_state = 'processed'";
  await until(async () => (await faulty.query(done)).length > 60);
  const doomed = faulty.system.running("scheduler");
  for (const scheduler of doomed) scheduler.signal("SIGKILL");
  await Promise.all(doomed.map(({ exited }) => exited));
  await faulty.system.start("scheduler");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 60, undone: 0 }));
  const again =
    "select 1 from state.events where action = 'complete' group by task_id, step having count(*) > 1";
  expect(await faulty.query(again)).toEqual([]);
});
