import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import {
  agentQueue,
  cancelExchange,
  expiredQueue,
  replyExchange,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/local-stack";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from "@jest/globals";
import { type Channel, connect } from "amqplib";
import type { Broker, Delivery, OutgoingMessage, PublishResult } from "./broker.ts";
import { connectBroker } from "./connect-broker.ts";
import { keepChannel } from "./keep-channel.ts";
import { openConnection } from "./open-connection.ts";
import { inbox, quiet, until } from "./testing.ts";
import { topologyOf } from "./topology.ts";

const agents = ["payments"];
const queue = agentQueue("payments");

let server: TestBroker;
let parts: AsyncDisposableStack;
let link: Link;
let broker: Broker;
/** What an operator does, on a connection of their own. */
let operator: Channel;
let warnings: string[];

beforeAll(async () => {
  server = await testBroker();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  const connection = await connect(server.url);
  connection.on("error", () => {});
  parts.defer(() => connection.close().catch(() => {}));
  const open = async () => (await connection.createChannel()).on("error", () => {});
  operator = await open();
  for (const { name } of topologyOf(agents).queues) await operator.deleteQueue(name);
  link = parts.use(await openLink(server.url));
  warnings = [];
  const log = { ...quiet, warn: (_: object, text: string) => void warnings.push(text) };
  broker = parts.use(
    await connectBroker({ url: link.url, name: "test", topology: "declare", agents, log }),
  );
});

afterEach(async () => {
  await parts.disposeAsync();
});

const message = (text: string, overrides: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  exchange: "",
  routingKey: queue,
  type: "step.request.v1",
  messageId: randomUUID(),
  body: Buffer.from(text),
  ...overrides,
});

const textOf = ({ body }: Delivery) => body.toString();
const publishAll = (texts: readonly string[]) =>
  Promise.all(texts.map((text) => broker.publish(message(text))));

/** Until it is stored, as every publisher of ours does. */
async function publishAtLast(outgoing: OutgoingMessage): Promise<void> {
  await until(async () => (await broker.publish(outgoing)) === "stored");
}

/** The one that publishes, and the one that consumes. */
const connectionsLost = () =>
  until(() => warnings.filter((text) => text === "connection lost").length === 2);

const isEmpty = async (name: string) => (await broker.inspect(name))?.messages === 0;

async function firstDeadLetter(): Promise<Delivery | undefined> {
  const dead = inbox<Delivery>();
  await using _consumer = await broker.consume(expiredQueue, { prefetch: 1 }, async (delivery) =>
    dead.add(delivery),
  );
  return (await dead.first(1))[0];
}

describe("publishing", () => {
  test("carries everything that was said about a message", async () => {
    const received = inbox<Delivery>();
    await using _consumer = await broker.consume(replyQueue, { prefetch: 1 }, async (delivery) =>
      received.add(delivery),
    );
    const user = decodeURIComponent(new URL(server.url).username) || "guest";
    await broker.publish({
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

  test("tells what no queue took from what is stored, however they are mixed", async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        broker.publish(message("x", index % 3 === 0 ? { routingKey: "nowhere" } : {})),
      ),
    );
    const expected = results.map(
      (_, index): PublishResult => (index % 3 === 0 ? "unroutable" : "stored"),
    );
    expect(results).toEqual(expected);
  });

  test("knows nothing of what was under way when the connection broke, and goes on", async () => {
    const underWay = publishAll(["a", "b", "c"]);
    link.reset();
    expect(await underWay).toEqual(["unknown", "unknown", "unknown"]);
    await publishAtLast(message("d"));
  });

  test("goes on after the broker has closed the channel over a forged user", async () => {
    expect(await broker.publish(message("x", { userId: "somebody-else" }))).toBe("unknown");
    await publishAtLast(message("y"));
  });

  test("never waits for the acknowledgement of the packet before", async () => {
    const setNoDelay = jest.spyOn(Socket.prototype, "setNoDelay");
    await using _connection = await openConnection({ url: server.url, name: "test", log: quiet });
    expect(setNoDelay.mock.calls).toEqual([[true]]);
    setNoDelay.mockRestore();
  });
});

describe("a dead letter", () => {
  test("says that nobody took it in time", async () => {
    await broker.publish(message("late", { expirationMs: 5 }));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "expired" });
  });

  test("says that somebody rejected it", async () => {
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      delivery.reject(),
    );
    await broker.publish(message("poison"));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "rejected" });
  });

  test("says that nobody could cope with it", async () => {
    const attempts = inbox<boolean>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      attempts.add(delivery.redelivered);
      throw new Error("no");
    });
    await broker.publish(message("deadly"));
    expect(await firstDeadLetter()).toMatchObject({ deathReason: "delivery_limit" });
    expect(attempts.items.slice(0, 2)).toEqual([false, true]);
  });
});

describe("consuming one by one", () => {
  test("acknowledges what its handler leaves unsettled, and settles nothing twice", async () => {
    const texts = inbox<string>();
    await using _consumer = await broker.consume(queue, { prefetch: 5 }, async (delivery) => {
      texts.add(textOf(delivery));
      if (textOf(delivery) === "twice") {
        delivery.ack();
        delivery.reject();
      }
    });
    await publishAll(["twice", "once"]);
    await texts.first(2);
    await until(() => isEmpty(queue));
    await publishAll(["again"]);
    expect((await texts.first(3)).at(-1)).toBe("again");
    expect(await isEmpty(expiredQueue)).toBe(true);
  });

  test("gives back to others what it cannot do now", async () => {
    const texts = inbox<string>();
    const giving = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      texts.add(textOf(delivery));
      delivery.giveBack();
    });
    await publishAll(["a"]);
    await texts.first(1);
    await giving[Symbol.asyncDispose]();
    const taken = inbox<string>();
    await using _taking = await broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      taken.add(textOf(delivery)),
    );
    expect(await taken.first(1)).toEqual(["a"]);
  });

  test("finishes what is in hand before it ends", async () => {
    const begun = inbox<string>();
    const mayFinish = Promise.withResolvers<void>();
    const consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      begun.add(textOf(delivery));
      await mayFinish.promise;
    });
    await publishAll(["in hand"]);
    await begun.first(1);
    const ended = consumer[Symbol.asyncDispose]();
    await publishAll(["too late"]);
    mayFinish.resolve();
    await ended;
    expect(begun.items).toEqual(["in hand"]);
    // A quorum queue takes its time to count.
    await until(async () => (await broker.inspect(queue))?.consumers === 0);
    expect(await broker.inspect(queue)).toEqual({ messages: 1, consumers: 0 });
  });

  test.each([
    ["the line to the broker was cut", async () => link.reset()],
    ["the broker closed all connections", () => server.closeAllConnections()],
  ])("goes on after %s", async (_, breakConnections) => {
    const texts = inbox<string>();
    await using _consumer = await broker.consume(queue, { prefetch: 10 }, async (delivery) =>
      texts.add(textOf(delivery)),
    );
    await publishAll(["before"]);
    await texts.first(1);
    await breakConnections();
    await connectionsLost();
    await until(() => broker.isReady);
    await publishAtLast(message("after"));
    await until(() => texts.items.includes("after"));
  });

  test("delivers again what was in hand when the connection broke", async () => {
    const deliveries = inbox<Delivery>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      deliveries.add(delivery);
      if (!delivery.redelivered) await never.promise;
    });
    await publishAll(["a"]);
    await deliveries.first(1);
    link.reset();
    const [, again] = await deliveries.first(2);
    expect(again?.redelivered).toBe(true);
    never.resolve();
    await until(() => isEmpty(queue));
  });

  test("declares its queue again when somebody deletes it, and goes on", async () => {
    const texts = inbox<string>();
    await using _consumer = await broker.consume(queue, { prefetch: 10 }, async (delivery) =>
      texts.add(textOf(delivery)),
    );
    await operator.deleteQueue(queue);
    await publishAtLast(message("after"));
    expect(await texts.first(1)).toEqual(["after"]);
    await until(() => broker.isReady);
  });
});

describe("bundles", () => {
  const bundle = { key: "payments", most: 10 };
  const publishTogether = (texts: readonly string[]) =>
    Promise.all(texts.map((text) => broker.publish(message(text, { bundle }))));

  test("are one message to the broker, and each by itself to whoever consumes", async () => {
    expect(await publishTogether(["a", "b", "c"])).toEqual(["stored", "stored", "stored"]);
    await until(async () => (await broker.inspect(queue))?.messages === 1);
    const deliveries = inbox<Delivery>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) =>
      deliveries.add(delivery),
    );
    const received = await deliveries.first(3);
    expect(received.map(textOf)).toEqual(["a", "b", "c"]);
    expect(received.map(({ isBundled }) => isBundled)).toEqual([true, true, true]);
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(3);
    await until(() => isEmpty(queue));
  });

  test("are acknowledged when all in them is done, and delivered again as a whole", async () => {
    const texts = inbox<string>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      texts.add(textOf(delivery));
      if (textOf(delivery) === "b" && !delivery.redelivered) await never.promise;
    });
    await publishTogether(["a", "b", "c"]);
    await texts.first(3);
    link.reset();
    expect(await texts.first(6)).toEqual(["a", "b", "c", "a", "b", "c"]);
    await until(() => isEmpty(queue));
    never.resolve();
  });

  test("die as a whole of what nobody can read, after all others are done", async () => {
    const mayFinish = Promise.withResolvers<void>();
    const texts = inbox<string>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      texts.add(textOf(delivery));
      if (textOf(delivery) === "odd") delivery.reject();
      else await mayFinish.promise;
    });
    await publishTogether(["a", "odd", "c"]);
    await texts.first(3);
    expect(await isEmpty(expiredQueue)).toBe(true);
    mayFinish.resolve();
    const dead = inbox<Delivery>();
    await using _dead = await broker.consume(expiredQueue, { prefetch: 1 }, async (delivery) =>
      dead.add(delivery),
    );
    const letters = await dead.first(3);
    expect(letters.map(textOf)).toEqual(["a", "odd", "c"]);
    expect(letters.every((one) => one.deathReason === "rejected" && one.isBundled)).toBe(true);
  });

  test("are tried again as a whole when one of them could not be handled", async () => {
    const texts = inbox<string>();
    await using _consumer = await broker.consume(queue, { prefetch: 1 }, async (delivery) => {
      texts.add(textOf(delivery));
      if (textOf(delivery) === "b" && texts.items.length <= 2) throw new Error("not now");
    });
    await publishTogether(["a", "b"]);
    expect(await texts.first(4)).toEqual(["a", "b", "a", "b"]);
    await until(() => isEmpty(queue));
  });

  test("are not torn apart by the end of a batch", async () => {
    const batches = inbox<readonly string[]>();
    await publishTogether(["a", "b", "c"]);
    await publishTogether(["d", "e", "f"]);
    await until(async () => (await broker.inspect(queue))?.messages === 2);
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 10, max: 2 },
      async (batch) => batches.add(batch.map(textOf)),
    );
    expect(await batches.first(2)).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
    await until(() => isEmpty(queue));
  });
});

describe("consuming in batches", () => {
  test("does not keep a lone message waiting, and gathers what comes in meanwhile", async () => {
    const batches = inbox<readonly string[]>();
    const mayGoOn = Promise.withResolvers<void>();
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 100, max: 4 },
      async (batch) => {
        batches.add(batch.map(textOf));
        await mayGoOn.promise;
      },
    );
    await publishAll(["a"]);
    expect(await batches.first(1)).toEqual([["a"]]);
    await publishAll(["b", "c", "d", "e", "f", "g"]);
    await until(async () => (await operator.checkQueue(queue)).messageCount === 0);
    mayGoOn.resolve();
    await until(() => batches.items.flat().length === 7);
    expect(batches.items.flat()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    expect(Math.max(...batches.items.map(({ length }) => length))).toBeLessThanOrEqual(4);
    await until(() => isEmpty(queue));
  });

  test("begins a second batch if it is full, and acknowledges none before the first", async () => {
    const batches = inbox<readonly Delivery[]>();
    const done = inbox<string>();
    const never = Promise.withResolvers<void>();
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 100, max: 2 },
      async (batch) => {
        batches.add(batch);
        const [first] = batch;
        if (first !== undefined && textOf(first) === "a" && !first.redelivered) await never.promise;
        for (const delivery of batch) done.add(textOf(delivery));
      },
    );
    await publishAll(["a"]);
    await batches.first(1);
    await publishAll(["b", "c"]);
    expect(await done.first(2)).toEqual(["b", "c"]);
    link.reset();
    never.resolve();
    const again = () => batches.items.flat().filter(({ redelivered }) => redelivered);
    await until(() => again().length === 3);
    expect(again().map(textOf)).toEqual(["a", "b", "c"]);
    await until(() => isEmpty(queue));
  });

  test("keeps a batch that could not be handled, without requeueing it", async () => {
    const batches = inbox<readonly Delivery[]>();
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        batches.add(batch);
        if (batches.items.length < 3) throw new Error("the store is down");
      },
    );
    await publishAll(["a"]);
    const [first, second, third] = await batches.first(3);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(third?.[0]?.redelivered).toBe(false);
    await until(() => isEmpty(queue));
  });

  test("leaves settled what its handler has settled", async () => {
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) =>
        batch.filter((one) => textOf(one) === "poison").forEach((one) => one.reject()),
    );
    await publishAll(["a", "poison", "b"]);
    await until(async () => (await broker.inspect(expiredQueue))?.messages === 1);
    await until(() => isEmpty(queue));
  });

  test("does not try again a batch whose channel is gone: the broker delivers it anew", async () => {
    const batches = inbox<readonly Delivery[]>();
    await using _consumer = await broker.consumeBatches(
      queue,
      { prefetch: 10, max: 10 },
      async (batch) => {
        batches.add(batch);
        if (batch.some(({ redelivered }) => redelivered)) return;
        link.reset();
        await connectionsLost();
        throw new Error("the store is down too");
      },
    );
    await publishAll(["a"]);
    const [, second] = await batches.first(2);
    expect(second?.map(({ redelivered }) => redelivered)).toEqual([true]);
    await until(() => isEmpty(queue));
    expect(batches.items).toHaveLength(2);
  });
});

test("keeps one hint at most that something is due", async () => {
  await Promise.all(
    Array.from({ length: 10 }, () => broker.publish(message("", { routingKey: wakeQueue }))),
  );
  expect((await broker.inspect(wakeQueue))?.messages).toBe(1);
});

test("says of a queue what is in it, and null when there is none, without harm to others", async () => {
  await publishAll(["a", "b"]);
  const asked = [queue, "nowhere", queue, "nowhere", queue].map((name) => broker.inspect(name));
  const there = { messages: 2, consumers: 0 };
  expect(await Promise.all(asked)).toEqual([there, null, there, null, there]);
  expect(broker.isReady).toBe(true);
});

test("says what is wrong when the broker keeps refusing", async () => {
  await using connection = await openConnection({ url: link.url, name: "test", log: quiet });
  const refused = keepChannel({
    name: "test nowhere",
    create: () => connection.createChannel(),
    open: async (channel) => void (await channel.checkQueue("nowhere")),
    closing: async () => {},
    log: quiet,
    openWithin: 100,
  });
  await expect(refused).rejects.toMatchObject({
    code: "broker.refused",
    message: expect.stringContaining("NOT_FOUND"),
  });
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
  return { heard, listener: parts.use(await broker.listen(cancelExchange, hear)) };
};

describe("listening", () => {
  test("hears what is sent to all, from now on, and again after its connection was lost", async () => {
    await broker.publish(hint("too early"));
    const [one, other] = [await listen(), await listen()];
    await broker.publish(hint("first"));
    await until(() => one.heard.length === 1 && other.heard.length === 1);

    link.reset();
    await until(() => !broker.isReady);
    await until(() => broker.isReady);
    await broker.publish(hint("second"));
    await until(() => one.heard.length === 2 && other.heard.length === 2);
    expect([one.heard, other.heard]).toEqual([
      ["first", "second"],
      ["first", "second"],
    ]);
  });

  test("leaves no queue behind", async () => {
    const { listener } = await listen();
    expect(await broker.publish(hint("somebody"))).toBe("stored");
    await listener[Symbol.asyncDispose]();
    expect(await broker.publish(hint("nobody"))).toBe("unroutable");
    expect(await broker.publish({ ...hint("whoever"), fleeting: true })).toBe("stored");
  });
});
