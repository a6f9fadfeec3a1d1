import { expiredQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { message, openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { inbox, until } from "../../test/fixtures.ts";
import type { Delivery, PublishResult } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

/** How a client acknowledges: class 60, method 80. */
const acknowledgement = Buffer.from([0, 60, 0, 80]);

describe("an answer", () => {
  test("is published as any message is", async () => {
    const results = inbox<PublishResult>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 5 },
      async (delivery) => {
        if (textOf(delivery) === "answered") return;
        results.add(await delivery.answer(message("answered")));
        results.add(await delivery.answer(message("lost", { routingKey: "nowhere" })));
      },
    );
    await tested.publishAll(["asked"]);
    expect(await results.first(2)).toEqual(["stored", "unroutable"]);
  });

  test("does not arrive where the acknowledgement before it did not, though the other connection works", async () => {
    const answered = inbox<PublishResult>();
    tested.link.cutAt({ pattern: acknowledgement, when: "half" });
    const consumer = await tested.broker.consume(queue, { prefetch: 5 }, async (delivery) => {
      delivery.ack();
      answered.add(await delivery.answer(message("answered", { routingKey: expiredQueue })));
    });
    await using _consumer = consumer;
    await tested.publishAll(["asked"]);
    expect(await answered.first(1)).toEqual(["unknown"]);
    expect(await tested.broker.publish(message("elsewhere", { routingKey: expiredQueue }))).toBe(
      "stored",
    );
    expect(await tested.operator.checkQueue(expiredQueue)).toMatchObject({ messageCount: 1 });
    tested.link.reset();
  });
});

describe("consuming one by one", () => {
  test("acknowledges messages that the handler did not acknowledge, and acknowledges none twice", async () => {
    const texts = inbox<string>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 5 },
      async (delivery) => {
        texts.add(textOf(delivery));
        if (textOf(delivery) === "twice") {
          delivery.ack();
          delivery.reject();
        }
      },
    );
    await tested.publishAll(["twice", "once"]);
    await texts.first(2);
    await until(() => tested.isEmpty(queue));
    await tested.publishAll(["again"]);
    expect((await texts.first(3)).at(-1)).toBe("again");
    expect(await tested.isEmpty(expiredQueue)).toBe(true);
  });

  test("requeues for other consumers a message that its handler cannot process now", async () => {
    const texts = inbox<string>();
    const giving = await tested.broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      texts.add(textOf(delivery));
      delivery.requeue();
    });
    await tested.publishAll(["a"]);
    await texts.first(1);
    await giving[Symbol.asyncDispose]();
    const taken = inbox<string>();
    await using _taking = await tested.broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      taken.add(textOf(delivery)),
    );
    expect(await taken.first(1)).toEqual(["a"]);
  });

  test("finishes the messages in its handlers before it ends", async () => {
    const begun = inbox<string>();
    const mayFinish = Promise.withResolvers<void>();
    const consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      begun.add(textOf(delivery));
      await mayFinish.promise;
    });
    await tested.publishAll(["in its handler"]);
    await begun.first(1);
    const ended = consumer[Symbol.asyncDispose]();
    await tested.publishAll(["too late"]);
    mayFinish.resolve();
    await ended;
    expect(begun.items).toEqual(["in its handler"]);
    // A quorum queue takes its time to count.
    await until(async () => (await tested.broker.inspect(queue))?.consumers === 0);
    expect(await tested.broker.inspect(queue)).toEqual({ messages: 1, consumers: 0 });
  });

  test.each([
    ["the line to the broker was cut", async () => tested.link.reset()],
    ["the broker closed all connections", () => tested.server.closeAllConnections()],
  ])("goes on after %s", async (_, breakConnections) => {
    const texts = inbox<string>();
    await using _consumer = await tested.broker.consume(queue, { prefetch: 10 }, async (delivery) =>
      texts.add(textOf(delivery)),
    );
    await tested.publishAll(["before"]);
    await texts.first(1);
    await breakConnections();
    await tested.connectionsLost();
    await until(() => tested.broker.isReady);
    await tested.publishAtLast(message("after"));
    await until(() => texts.items.includes("after"));
  });

  test("redelivers unacknowledged messages after the connection broke", async () => {
    const deliveries = inbox<Delivery>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 1 },
      async (delivery) => {
        deliveries.add(delivery);
        if (!delivery.redelivered) await never.promise;
      },
    );
    await tested.publishAll(["a"]);
    await deliveries.first(1);
    tested.link.reset();
    const [, again] = await deliveries.first(2);
    expect(again?.redelivered).toBe(true);
    never.resolve();
    await until(() => tested.isEmpty(queue));
  });

  test("declares its queue again if it is deleted, and goes on", async () => {
    const texts = inbox<string>();
    await using _consumer = await tested.broker.consume(queue, { prefetch: 10 }, async (delivery) =>
      texts.add(textOf(delivery)),
    );
    await tested.operator.deleteQueue(queue);
    await tested.publishAtLast(message("after"));
    expect(await texts.first(1)).toEqual(["after"]);
    await until(() => tested.broker.isReady);
  });
});
