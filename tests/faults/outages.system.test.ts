import { startLocalStack } from "@holdfast/local-stack";
import type { SampleKind } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./harness.ts";

const kinds: readonly SampleKind[] = ["good", "good", "good", "declined"];
const postAll = (faulty: FaultySystem, from: number) =>
  Promise.all(kinds.map((kind, index) => faulty.order(kind, from + index)));

test("the broker is killed, and another time takes no messages: orders are taken all along, and all end", async () => {
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
  await until(() => faulty.log.some(({ msg }) => msg === "connection blocked"));
  const meanwhile = await postAll(faulty, 30);
  await broker.rabbitmqctl("set_vm_memory_high_watermark", "0.6");
  expect(await faulty.verdict(meanwhile)).toEqual(allRight({ processed: 3, undone: 1 }));
  expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
}, 180_000);

test("a remote service is down for longer than all retries take together: orders wait, and are fulfilled", async () => {
  await using faulty = await startFaultySystem();
  const turn = (knobs: object) =>
    fetch(`${faulty.system.partnersUrl}/knobs/shipping`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(knobs),
    });
  await turn({ down: true });
  // The workflow as it comes: five failures, then a rest, over and over.
  const ids = await postAll(faulty, 0);
  await until(
    async () =>
      (await faulty.query("select 1 from state.steps where name = 'ship' and failure_count > 0"))
        .length === 3,
  );
  await turn({});
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 3, undone: 1 }));
});

test("all Schedulers are killed with orders under way: the next one goes on where they were", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 3 } });
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
