import { expiredQueue } from "@holdfast/contracts";
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

describe("bundles", () => {
  const bundle = { key: "payments", most: 10 };
  const publishTogether = (texts: readonly string[]) =>
    Promise.all(texts.map((text) => tested.broker.publish(message(text, { bundle }))));

  test("are one message for the broker, and separate messages for the consumer", async () => {
    expect(await publishTogether(["a", "b", "c"])).toEqual(["stored", "stored", "stored"]);
    await until(async () => (await tested.broker.inspect(queue))?.messages === 1);
    const deliveries = inbox<Delivery>();
    await using _consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      deliveries.add(delivery),
    );
    const received = await deliveries.first(3);
    expect(received.map(textOf)).toEqual(["a", "b", "c"]);
    expect(received.map(({ isBundled }) => isBundled)).toEqual([true, true, true]);
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(3);
    await until(() => tested.isEmpty(queue));
  });

  test("are acknowledged when all their messages are handled, and redelivered as a whole", async () => {
    const texts = inbox<string>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 1 },
      async (delivery) => {
        texts.add(textOf(delivery));
        if (textOf(delivery) === "b" && !delivery.redelivered) await never.promise;
      },
    );
    await publishTogether(["a", "b", "c"]);
    await texts.first(3);
    tested.link.reset();
    expect(await texts.first(6)).toEqual(["a", "b", "c", "a", "b", "c"]);
    await until(() => tested.isEmpty(queue));
    never.resolve();
  });

  test("are dead-lettered whole if one message is unreadable, after the rest is handled", async () => {
    const mayFinish = Promise.withResolvers<void>();
    const texts = inbox<string>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 1 },
      async (delivery) => {
        texts.add(textOf(delivery));
        if (textOf(delivery) === "odd") delivery.reject();
        else await mayFinish.promise;
      },
    );
    await publishTogether(["a", "odd", "c"]);
    await texts.first(3);
    expect(await tested.isEmpty(expiredQueue)).toBe(true);
    mayFinish.resolve();
    const dead = inbox<Delivery>();
    await using _dead = await tested.broker.consume(
      expiredQueue,
      { prefetch: 1 },
      async (delivery) => dead.add(delivery),
    );
    const deadLetters = await dead.first(3);
    expect(deadLetters.map(textOf)).toEqual(["a", "odd", "c"]);
    expect(deadLetters.every((one) => one.deathReason === "rejected" && one.isBundled)).toBe(true);
  });

  test("are retried as a whole if one message could not be handled", async () => {
    const texts = inbox<string>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 1 },
      async (delivery) => {
        texts.add(textOf(delivery));
        if (textOf(delivery) === "b" && texts.items.length <= 2) throw new Error("not now");
      },
    );
    await publishTogether(["a", "b"]);
    expect(await texts.first(4)).toEqual(["a", "b", "a", "b"]);
    await until(() => tested.isEmpty(queue));
  });

  test("are never split across two batches", async () => {
    const batches = inbox<readonly string[]>();
    await publishTogether(["a", "b", "c"]);
    await publishTogether(["d", "e", "f"]);
    await until(async () => (await tested.broker.inspect(queue))?.messages === 2);
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 2 },
      async (batch) => batches.add(batch.map(textOf)),
    );
    expect(await batches.first(2)).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
    await until(() => tested.isEmpty(queue));
  });
});
