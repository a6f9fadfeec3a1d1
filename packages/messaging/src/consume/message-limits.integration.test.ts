import { expiredQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { inbox, until } from "../../test/fixtures.ts";
import type { Delivery } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

describe("a message that is larger than allowed", () => {
  test.each(["consume", "consumeBatches"] as const)(
    "is rejected before it is parsed (%s)",
    async (consume) => {
      const sizes = inbox<number>();
      const how = { prefetch: 10, max: 10, maxBytes: 1_000 };
      const take = (delivery: Delivery) => sizes.add(delivery.size);
      await using _consumer =
        consume === "consume"
          ? await tested.broker.consume(queue, how, async (one) => take(one))
          : await tested.broker.consumeBatches(queue, how, async (all) => all.forEach(take));
      await tested.publishAll(["x".repeat(1_001), "x".repeat(1_000)]);
      expect(await sizes.first(1)).toEqual([1_000]);
      await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
      await until(() => tested.isEmpty(queue));
    },
  );

  test("is cut if the consumer asks for that, and its full size is known", async () => {
    const deliveries = inbox<Delivery>();
    await using _consumer = await tested.broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10, maxBytes: 1_000, oversized: "cut" },
      async (batch) => batch.forEach((one) => deliveries.add(one)),
    );
    await tested.publishAll(["x".repeat(5_000)]);
    const [delivery] = await deliveries.first(1);
    expect(delivery).toMatchObject({ size: 5_000, body: Buffer.from("x".repeat(1_000)) });
    await until(() => tested.isEmpty(queue));
  });

  test("is never more than a connection allows", async () => {
    const deliveries = inbox<Delivery>();
    await using _consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (one) =>
      deliveries.add(one),
    );
    await tested.publishAll(["x".repeat(1024 * 1024 + 1), "small"]);
    expect((await deliveries.first(1)).map(textOf)).toEqual(["small"]);
    await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
  });
});

test("message properties that Postgres could not store arrive as texts that it can", async () => {
  const deliveries = inbox<Delivery>();
  await using _consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (one) =>
    deliveries.add(one),
  );
  tested.operator.publish("", queue, Buffer.from("a"), {
    messageId: "a\0b",
    type: "\0",
    correlationId: "c\0",
    replyTo: "r\0",
    headers: { "x-first-death-reason": "x".repeat(10_000) },
  });
  const [delivery] = await deliveries.first(1);
  expect(delivery).toMatchObject({
    messageId: "a\ufffdb",
    type: "\ufffd",
    correlationId: "c\ufffd",
    replyTo: "r\ufffd",
    deathReason: undefined,
  });
});
