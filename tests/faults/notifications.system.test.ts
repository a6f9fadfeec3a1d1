import { newTask } from "@holdfast/load";
import { askBroker } from "@holdfast/local-stack";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { startFaultySystem, until } from "./faulty-system.ts";

const full = "status.full";
const free = "status.free";

test("alerts and other submitters' statuses leave at once while a submitter's full queue refuses hundreds", async () => {
  await using faulty = await startFaultySystem({ count: { agent: 0 } });
  const { store } = faulty;
  const url = faulty.broker?.url ?? "";
  await askBroker(url, (channel) =>
    channel.assertQueue(full, {
      durable: true,
      arguments: { "x-max-length": 1, "x-overflow": "reject-publish" },
    }),
  );
  const submit = (replyTo: string, count: number) =>
    store.submitTasks(
      Array.from({ length: count }, (_, seed) => ({
        ...newTask({ workflow: fulfilOrder.name, input: sampleOrder({ kind: "good", seed }) }),
        replyTo,
      })),
      { actor: "test" },
    );
  const unsent = async () =>
    (
      await faulty.query<{ unsent: number }>(
        `select count(*)::integer as unsent from state.outbox where address = '${full}'`,
      )
    )[0]?.unsent ?? 0;
  await store.registerWorkflow(fulfilOrder.definition);
  await submit(full, 500);
  // One has room; all others were refused, some more than once.
  await until(async () => (await unsent()) === 499);

  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createChannel();
  const heard = new Map<string, number>();
  const listen = async (queue: string, exchange: string | null) => {
    await channel.assertQueue(queue, { durable: true });
    if (exchange !== null) await channel.bindQueue(queue, exchange, "alert.#");
    await channel.consume(queue, () => heard.set(queue, performance.now()), { noAck: true });
  };
  try {
    await listen("alerts", "holdfast.events");
    await listen(free, null);
    for (let round = 0; round < 3; round += 1) {
      heard.clear();
      const begun = performance.now();
      // This process wakes no Scheduler.
      await store.recordDeadLetters([
        {
          queue: "dead.replies",
          // Each of these reasons alerts once a minute.
          reason: `rejected ${round}`,
          messageId: null,
          type: null,
          sender: null,
          body: Buffer.from("{"),
        },
      ]);
      await submit(free, 1);
      await until(() => heard.has("alerts") && heard.has(free));
      expect(heard.get("alerts")! - begun).toBeLessThan(4_000);
      expect(heard.get(free)! - begun).toBeLessThan(4_000);
    }
    expect(await unsent()).toBe(499);
  } finally {
    await connection.close();
  }
});
