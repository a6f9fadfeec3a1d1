import { expiredQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { message, openTestedBroker, queue, type TestedBroker } from "../../test/broker.ts";
import { inbox } from "../../test/fixtures.ts";
import type { Delivery } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

async function firstDeadLetter(): Promise<Delivery | undefined> {
  const dead = inbox<Delivery>();
  await using _consumer = await tested.broker.consume(
    expiredQueue,
    { prefetch: 1 },
    async (delivery) => dead.add(delivery),
  );
  return (await dead.first(1))[0];
}

describe("a dead letter", () => {
  test("names expiry as the reason for a message that no consumer took in time", async () => {
    await tested.broker.publish(message("late", { expirationMs: 5 }));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "expired" });
  });

  test("names rejection as the reason for a message that a consumer rejected", async () => {
    await using _consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      delivery.reject(),
    );
    await tested.broker.publish(message("poison"));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "rejected" });
  });

  test("names the delivery limit as the reason for a message that was redelivered too often", async () => {
    const attempts = inbox<boolean>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 1 },
      async (delivery) => {
        attempts.add(delivery.redelivered);
        throw new Error("no");
      },
    );
    await tested.broker.publish(message("deadly"));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "delivery_limit" });
    expect(attempts.items.slice(0, 2)).toEqual([false, true]);
  });
});
