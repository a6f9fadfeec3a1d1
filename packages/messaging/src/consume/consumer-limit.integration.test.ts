import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { message, openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { inbox, until } from "../../test/fixtures.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

/** A consumer that keeps each message until it is released. */
async function heldConsumer(prefetch: number) {
  const begun = inbox<string>();
  const gates: (() => void)[] = [];
  const consumer = await tested.broker.consume(queue, { prefetch }, async (delivery) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.push(resolve);
    begun.add(textOf(delivery));
    await promise;
  });
  return { begun, consumer, release: () => gates.shift()?.() };
}

const consumers = async () => (await tested.broker.inspect(queue))?.consumers;

describe("a consumer that is limited to nothing", () => {
  test("leaves what comes to others, finishes what it has begun, and the broker stays ready", async () => {
    const { begun, consumer, release } = await heldConsumer(5);
    await using _consumer = consumer;
    await tested.publishAll(["begun"]);
    await begun.first(1);
    await consumer.limit(0);
    await tested.publishAll(["for others"]);
    release();
    await until(async () => (await consumers()) === 0);
    expect(await tested.broker.inspect(queue)).toEqual({ messages: 1, consumers: 0 });
    expect(tested.broker.isReady).toBe(true);
    const taken = inbox<string>();
    await using _other = await tested.broker.consume(queue, { prefetch: 5 }, async (delivery) =>
      taken.add(textOf(delivery)),
    );
    expect(await taken.first(1)).toEqual(["for others"]);
    expect(begun.items).toEqual(["begun"]);
  });

  test("takes messages again once it is raised", async () => {
    const { begun, consumer, release } = await heldConsumer(5);
    await using _consumer = consumer;
    await consumer.limit(0);
    await tested.publishAll(["a", "b", "c"]);
    await consumer.limit(1);
    expect(await begun.first(1)).toEqual(["a"]);
    release();
    expect(await begun.first(2)).toEqual(["a", "b"]);
    await consumer.limit(5);
    expect(await begun.first(3)).toEqual(["a", "b", "c"]);
    release();
    release();
    await until(() => tested.isEmpty(queue));
  });

  test("stays cancelled when its connection comes back", async () => {
    const { begun, consumer, release } = await heldConsumer(5);
    await using _consumer = consumer;
    await consumer.limit(0);
    tested.link.reset();
    await tested.connectionsLost();
    await until(() => tested.broker.isReady);
    await tested.publishAtLast(message("after"));
    expect(await consumers()).toBe(0);
    await consumer.limit(1);
    expect(await begun.first(1)).toEqual(["after"]);
    release();
  });

  test("ends at once", async () => {
    const { consumer } = await heldConsumer(5);
    await consumer.limit(0);
    await consumer[Symbol.asyncDispose]();
    expect(await consumers()).toBe(0);
  });

  test("declares its queue again if it was deleted meanwhile", async () => {
    const { begun, consumer, release } = await heldConsumer(5);
    await using _consumer = consumer;
    await consumer.limit(0);
    await tested.operator.deleteQueue(queue);
    await consumer.limit(5);
    await tested.publishAtLast(message("after"));
    expect(await begun.first(1)).toEqual(["after"]);
    release();
  });
});

/** A limit that is set, or so many of the oldest messages that are acknowledged. */
const acts = fc.array(
  fc.oneof(
    fc.record({ limit: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ acknowledge: fc.integer({ min: 1, max: 8 }) }),
  ),
  { minLength: 1, maxLength: 15 },
);

test("no message arrives beyond the limit, whatever it was before and whatever is unacknowledged; what it allows arrives", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      await tested.publishAll(Array.from({ length: 250 }, (_, index) => `${index}`));
      const gates: (() => void)[] = [];
      let [allowed, beyond] = [10, 0];
      await using consumer = await tested.broker.consume(queue, { prefetch: 10 }, async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        gates.push(resolve);
        if (gates.length > allowed) beyond += 1;
        await promise;
      });
      const acknowledge = (most: number): void => {
        for (const open of gates.splice(0, most)) open();
      };
      try {
        for (const act of sequence) {
          if ("acknowledge" in act) acknowledge(act.acknowledge);
          else {
            // What is on its way while a limit is lowered was allowed before.
            allowed = Math.max(allowed, act.limit);
            await consumer.limit(act.limit);
            allowed = act.limit;
          }
        }
        acknowledge(Number.POSITIVE_INFINITY);
        await until(() => gates.length === allowed);
        expect(beyond).toBe(0);
      } finally {
        await consumer.limit(0);
        acknowledge(Number.POSITIVE_INFINITY);
      }
    }),
    { seed: 7, numRuns: 20 },
  );
});

test("a limit that is changed while the connection is lost holds for the next one", async () => {
  const { begun, consumer, release } = await heldConsumer(5);
  await using _consumer = consumer;
  tested.link.takeDown();
  await tested.connectionsLost();
  await consumer.limit(0);
  tested.link.heal();
  await until(() => tested.broker.isReady);
  expect(await consumers()).toBe(0);
  await consumer.limit(1);
  await tested.publishAtLast(message("after"));
  expect(await begun.first(1)).toEqual(["after"]);
  release();
});

test("of limits that are set at the same time the last one holds, with one consumer", async () => {
  const { consumer } = await heldConsumer(5);
  await using _consumer = consumer;
  await Promise.all([0, 1, 0, 7, 2, 0, 3].map((most) => consumer.limit(most)));
  await until(async () => (await consumers()) === 1);
  await consumer.limit(0);
  await until(async () => (await consumers()) === 0);
});
