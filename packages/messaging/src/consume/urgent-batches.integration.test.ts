import { TransientFault } from "@holdfast/domain";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { message, openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { inbox, until } from "../../test/fixtures.ts";
import type { Delivery } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const publish = (text: string, isUrgent = false) =>
  tested.broker.publish(message(text, { isUrgent }));

/** Consumes in batches of two; those with a normal message wait until they may go on. */
async function consumeSlowly() {
  const batches = inbox<readonly Delivery[]>();
  const handled = inbox<string>();
  const mayGoOn = Promise.withResolvers<void>();
  const consumer = await tested.broker.consumeBatches(
    queue,
    { prefetch: 100, max: 2 },
    async (batch) => {
      batches.add(batch);
      if (!batch.every(({ isUrgent }) => isUrgent)) await mayGoOn.promise;
      for (const delivery of batch) handled.add(textOf(delivery));
    },
  );
  return { consumer, batches, handled, goOn: mayGoOn.resolve };
}

test("an urgent message is handled while all other batches wait", async () => {
  const { consumer, handled, goOn } = await consumeSlowly();
  await using _consumer = consumer;
  for (const text of ["a", "b", "c", "d", "e", "f"]) await publish(text);
  await publish("urgent", true);
  expect(await handled.first(1)).toEqual(["urgent"]);
  goOn();
  await handled.first(7);
  expect(handled.items.toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "urgent"]);
  await until(() => tested.isEmpty(queue));
});

test("an urgent message is acknowledged after those that it has overtaken, so none of them is lost with the connection", async () => {
  const { consumer, batches, handled, goOn } = await consumeSlowly();
  await using _consumer = consumer;
  for (const text of ["a", "b", "c"]) await publish(text);
  await publish("urgent", true);
  await handled.first(1);
  tested.link.reset();
  await tested.connectionsLost();
  goOn();
  const again = () => batches.items.flat().filter(({ redelivered }) => redelivered);
  await until(() => again().length === 4);
  expect(again().map(textOf).toSorted()).toEqual(["a", "b", "c", "urgent"]);
  await until(() => tested.isEmpty(queue));
});

test("an urgent message that cannot be handled yet is retried, and holds no other up", async () => {
  const handled = inbox<string>();
  let failures = 0;
  await using _consumer = await tested.broker.consumeBatches(
    queue,
    { prefetch: 100, max: 10 },
    async (batch) => {
      if (batch.some(({ isUrgent }) => isUrgent) && failures < 3) {
        failures += 1;
        throw new TransientFault("store.unavailable", "the store is down");
      }
      for (const delivery of batch) handled.add(textOf(delivery));
    },
  );
  await publish("urgent", true);
  await publish("a");
  expect((await handled.first(2)).toSorted()).toEqual(["a", "urgent"]);
  expect(failures).toBe(3);
  await until(() => tested.isEmpty(queue));
});
