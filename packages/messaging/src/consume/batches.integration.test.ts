import { expiredQueue } from "@holdfast/contracts";
import { PermanentFault, TransientFault } from "@holdfast/domain";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
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

describe("consuming in batches", () => {
  test("handles a lone message at once, and collects those that arrive meanwhile", async () => {
    const batches = inbox<readonly string[]>();
    const mayGoOn = Promise.withResolvers<void>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 100, max: 4 },
      async (batch) => {
        batches.add(batch.map(textOf));
        await mayGoOn.promise;
      },
    );
    await tested.publishAll(["a"]);
    expect(await batches.first(1)).toEqual([["a"]]);
    await tested.publishAll(["b", "c", "d", "e", "f", "g"]);
    await until(async () => (await tested.operator.checkQueue(queue)).messageCount === 0);
    mayGoOn.resolve();
    await until(() => batches.items.flat().length === 7);
    expect(batches.items.flat()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    expect(Math.max(...batches.items.map(({ length }) => length))).toBeLessThanOrEqual(4);
    await until(() => tested.isEmpty(queue));
  });

  test("starts a full second batch beside the first, and acknowledges it after the first", async () => {
    const batches = inbox<readonly Delivery[]>();
    const done = inbox<string>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 100, max: 2 },
      async (batch) => {
        batches.add(batch);
        const [first] = batch;
        if (first !== undefined && textOf(first) === "a" && !first.redelivered) await never.promise;
        for (const delivery of batch) done.add(textOf(delivery));
      },
    );
    await tested.publishAll(["a"]);
    await batches.first(1);
    await tested.publishAll(["b", "c"]);
    expect(await done.first(2)).toEqual(["b", "c"]);
    tested.link.reset();
    never.resolve();
    const again = () => batches.items.flat().filter(({ redelivered }) => redelivered);
    await until(() => again().length === 3);
    expect(again().map(textOf)).toEqual(["a", "b", "c"]);
    await until(() => tested.isEmpty(queue));
  });

  test("retries a batch that could not be handled, without requeueing it", async () => {
    const batches = inbox<readonly Delivery[]>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        batches.add(batch);
        if (batches.items.length < 3) throw new Error("the store is down");
      },
    );
    await tested.publishAll(["a"]);
    const [first, second, third] = await batches.first(3);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(third?.[0]?.redelivered).toBe(false);
    await until(() => tested.isEmpty(queue));
  });

  test("dead-letters the one delivery that can never be handled, and handles all others", async () => {
    const handled = inbox<string>();
    const buried = inbox<readonly [string, unknown]>();
    const refused = new PermanentFault("store.refused", "no");
    const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
    await tested.publishAll(texts);
    await until(async () => (await tested.broker.inspect(queue))?.messages === 50);
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      {
        prefetch: 100,
        max: 100,
        deadLetter: async (delivery, error) => buried.add([textOf(delivery), error]),
      },
      async (batch) => {
        if (batch.some((one) => textOf(one) === "31")) throw refused;
        for (const delivery of batch) handled.add(textOf(delivery));
      },
    );
    expect(await buried.first(1)).toEqual([["31", refused]]);
    await handled.first(49);
    expect(handled.items.toSorted()).toEqual(texts.filter((text) => text !== "31").toSorted());
    await until(() => tested.isEmpty(queue));
    expect(tested.broker.stalledConsumers).toEqual([]);
  });

  test("rejects by default a delivery that can never be handled", async () => {
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        if (batch.some((one) => textOf(one) === "bug")) throw new TypeError("a bug");
      },
    );
    await tested.publishAll(["a", "bug", "b"]);
    await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
    await until(() => tested.isEmpty(queue));
  });

  test("acknowledges deliveries behind one that keeps failing, and reports that one", async () => {
    const handled = inbox<string>();
    let isMended = false;
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      {
        prefetch: 3,
        max: 1,
        deadLetter: () => Promise.reject(new Error("cannot be buried either")),
      },
      async (batch) => {
        const texts = batch.map(textOf);
        if (texts.includes("slow") && !isMended) {
          throw new TransientFault("store.unavailable", "a statement that takes too long");
        }
        for (const text of texts) handled.add(text);
      },
    );
    await tested.publishAll(["slow", "a", "b", "c", "d", "e", "f", "g", "h"]);
    await handled.first(8);
    await until(() =>
      tested.broker.stalledConsumers.some(
        ({ error }) => error === "a statement that takes too long",
      ),
    );
    const [stalledConsumer] = tested.broker.stalledConsumers;
    expect(stalledConsumer).toMatchObject({ queue, messages: 1 });
    expect(stalledConsumer?.failures).toBeGreaterThan(0);
    isMended = true;
    tested.link.reset();
    await handled.first(9);
    expect(handled.items.at(-1)).toBe("slow");
    await until(() => tested.isEmpty(queue));
    expect(tested.broker.stalledConsumers).toEqual([]);
  });

  test("handles the rest of a bundle before one delivery in it dead-letters the bundle", async () => {
    const handled = inbox<string>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        const texts = batch.map(textOf);
        if (texts.includes("odd")) throw new PermanentFault("store.refused", "no");
        for (const text of texts) handled.add(text);
      },
    );
    const bundle = { key: "payments", most: 10 };
    await Promise.all(
      ["a", "odd", "c"].map((text) => tested.broker.publish(message(text, { bundle }))),
    );
    expect((await handled.first(2)).toSorted()).toEqual(["a", "c"]);
    await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
  });

  test("acknowledges no delivery that its handler has acknowledged", async () => {
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) =>
        batch.filter((one) => textOf(one) === "poison").forEach((one) => one.reject()),
    );
    await tested.publishAll(["a", "poison", "b"]);
    await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
    await until(() => tested.isEmpty(queue));
  });

  test("does not retry a batch whose channel is gone, because the broker redelivers it", async () => {
    const batches = inbox<readonly Delivery[]>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        batches.add(batch);
        if (batch.some(({ redelivered }) => redelivered)) return;
        tested.link.reset();
        await tested.connectionsLost();
        throw new Error("the store is down too");
      },
    );
    await tested.publishAll(["a"]);
    const [, second] = await batches.first(2);
    expect(second?.map(({ redelivered }) => redelivered)).toEqual([true]);
    await until(() => tested.isEmpty(queue));
    expect(batches.items).toHaveLength(2);
  });
});

test("a batch may wait until it is full or a time has passed, and stops waiting if its consumer ends", async () => {
  const batches = inbox<readonly string[]>();
  const consume = (collectFor: number) =>
    tested.broker.consumeBatches(queue, { prefetch: 10, max: 3, collectFor }, async (batch) =>
      batches.add(batch.map(textOf)),
    );
  {
    await using _patient = await consume(3_600_000);
    for (const text of ["a", "b", "c", "d"]) await tested.broker.publish(message(text));
    expect(await batches.first(1)).toEqual([["a", "b", "c"]]);
  }
  await using _hasty = await consume(100);
  expect(await batches.first(2)).toEqual([["a", "b", "c"], ["d"]]);
  await until(() => tested.isEmpty(queue));
});
