import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import {
  cancelExchange,
  expiredQueue,
  replyExchange,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { message, openTestedBroker, queue, type TestedBroker, textOf } from "../test/broker.ts";
import { inbox, quiet, until } from "../test/fixtures.ts";
import type { Delivery, OutgoingMessage, PublishResult } from "./broker.ts";
import { connectBroker } from "./connect-broker.ts";
import { keepChannel } from "./connection/keep-channel.ts";
import { openConnection } from "./connection/open-connection.ts";

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

describe("publishing", () => {
  test("keeps all properties of a message", async () => {
    const received = inbox<Delivery>();
    await using _consumer = await tested.broker.consume(
      replyQueue,
      { prefetch: 1 },
      async (delivery) => received.add(delivery),
    );
    const user = decodeURIComponent(new URL(tested.server.url).username) || "guest";
    await tested.broker.publish({
      exchange: replyExchange,
      routingKey: "reply.payments.t-1",
      type: "step.reply.v1",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "somewhere",
      userId: user,
      body: Buffer.from("{}"),
    });
    const [delivery] = await received.first(1);
    expect(delivery).toMatchObject({
      type: "step.reply.v1",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "somewhere",
      userId: user,
      routingKey: "reply.payments.t-1",
      deathReason: undefined,
      redelivered: false,
    });
  });

  test("distinguishes unroutable messages from stored ones, however they are mixed", async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        tested.broker.publish(message("x", index % 3 === 0 ? { routingKey: "nowhere" } : {})),
      ),
    );
    const expected = results.map(
      (_, index): PublishResult => (index % 3 === 0 ? "unroutable" : "stored"),
    );
    expect(results).toEqual(expected);
  });

  test("reports unconfirmed messages as unknown if the connection breaks, and goes on", async () => {
    const underWay = tested.publishAll(["a", "b", "c"]);
    tested.link.reset();
    expect(await underWay).toEqual(["unknown", "unknown", "unknown"]);
    await tested.publishAtLast(message("d"));
  });

  test("goes on after the broker has closed the channel over a forged user", async () => {
    expect(await tested.broker.publish(message("x", { userId: "somebody-else" }))).toBe("unknown");
    await tested.publishAtLast(message("y"));
  });

  test("replaces its channel if the broker refuses a message, and loses no other message", async () => {
    const full = { durable: true, maxLength: 1, arguments: { "x-overflow": "reject-publish" } };
    await tested.operator.assertQueue("full", full);
    const toFull = () => tested.broker.publish(message("refused", { routingKey: "full" }));
    expect(await toFull()).toBe("stored");
    const seen: string[] = [];
    // Longer than it takes to replace the channel some times.
    const endAt = performance.now() + 1_500;
    while (performance.now() < endAt) {
      const [refused, other] = await Promise.all([
        toFull(),
        tested.broker.publish(message("other")),
      ]);
      seen.push(`${refused} ${other}`);
    }
    expect([...new Set(seen)]).toEqual(["unknown stored"]);
    await tested.operator.purgeQueue("full");
    expect(await toFull()).toBe("stored");
  });

  test("never waits for the TCP acknowledgement of the previous packet", async () => {
    const setNoDelay = jest.spyOn(Socket.prototype, "setNoDelay");
    await using _connection = await openConnection({
      url: tested.server.url,
      name: "test",
      log: quiet,
    });
    expect(setNoDelay.mock.calls).toEqual([[true]]);
    setNoDelay.mockRestore();
  });
});

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

describe("consuming one by one", () => {
  test("acknowledges messages that the handler did not settle, and settles none twice", async () => {
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
    await tested.publishAll(["in hand"]);
    await begun.first(1);
    const ended = consumer[Symbol.asyncDispose]();
    await tested.publishAll(["too late"]);
    mayFinish.resolve();
    await ended;
    expect(begun.items).toEqual(["in hand"]);
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

test("a hint queue keeps at most one wake-up hint", async () => {
  await Promise.all(
    Array.from({ length: 10 }, () => tested.broker.publish(message("", { routingKey: wakeQueue }))),
  );
  expect((await tested.broker.inspect(wakeQueue))?.messages).toBe(1);
});

test("the broker client reports a queue's length, or null if the queue does not exist, on a channel of its own", async () => {
  await tested.publishAll(["a", "b"]);
  const asked = [queue, "nowhere", queue, "nowhere", queue].map((name) =>
    tested.broker.inspect(name),
  );
  const there = { messages: 2, consumers: 0 };
  expect(await Promise.all(asked)).toEqual([there, null, there, null, there]);
  expect(tested.broker.isReady).toBe(true);
});

test("the broker client reports why the broker keeps refusing", async () => {
  await using connection = await openConnection({ url: tested.link.url, name: "test", log: quiet });
  const refused = keepChannel({
    name: "test nowhere",
    create: () => connection.createChannel(),
    open: async (channel) => void (await channel.checkQueue("nowhere")),
    closing: async () => {},
    signal: new AbortController().signal,
    log: quiet,
    openWithin: 100,
  });
  await expect(refused).rejects.toMatchObject({
    code: "broker.refused",
    message: expect.stringContaining("NOT_FOUND"),
  });
});

test("a broker that is disposed of ends a consumer that waits for its queue", async () => {
  const broker = await connectBroker({
    url: tested.link.url,
    name: "test",
    topology: "passive",
    agents: [],
    log: quiet,
  });
  const consuming = broker.consume("nowhere", { prefetch: 1 }, async () => {});
  consuming.catch(() => {});
  await broker[Symbol.asyncDispose]();
  await expect(consuming).rejects.toMatchObject({ code: "broker.closed" });
});

const hint = (text: string): OutgoingMessage => ({
  exchange: cancelExchange,
  routingKey: "",
  type: "test.v1",
  messageId: randomUUID(),
  body: Buffer.from(text),
});
const listen = async () => {
  const heard: string[] = [];
  const hear = async ({ body }: Delivery): Promise<void> => void heard.push(String(body));
  const listener = await tested.broker.listen(cancelExchange, hear);
  return { heard, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
};

describe("listening", () => {
  test("receives broadcasts from then on, and again after its connection was lost", async () => {
    await tested.broker.publish(hint("too early"));
    await using one = await listen();
    await using other = await listen();
    await tested.broker.publish(hint("first"));
    await until(() => one.heard.length === 1 && other.heard.length === 1);

    tested.link.reset();
    await until(() => !tested.broker.isReady);
    await until(() => tested.broker.isReady);
    await tested.broker.publish(hint("second"));
    await until(() => one.heard.length === 2 && other.heard.length === 2);
    expect([one.heard, other.heard]).toEqual([
      ["first", "second"],
      ["first", "second"],
    ]);
  });

  test("leaves no queue behind", async () => {
    const listener = await listen();
    expect(await tested.broker.publish(hint("somebody"))).toBe("stored");
    await listener[Symbol.asyncDispose]();
    expect(await tested.broker.publish(hint("nobody"))).toBe("unroutable");
    expect(await tested.broker.publish({ ...hint("whoever"), transient: true })).toBe("stored");
  });
});
