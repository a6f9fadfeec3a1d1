import { ownReplyQueues, replyQueue } from "@holdfast/contracts";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { inbox, quiet, until } from "../../test/fixtures.ts";
import type { Broker, Delivery, SharedConsumer } from "../broker.ts";
import { connectBroker } from "../connect-broker.ts";

const [first = "", second = "", third = ""] = ownReplyQueues;
const queues = { common: replyQueue, owned: [first, second, third] };

let parts: AsyncDisposableStack;
let server: TestBroker;
/** A broker whose connection is never cut. */
let publisher: Broker;

/** A consumer of all of them, through a link of its own. */
interface Reader {
  readonly consumer: SharedConsumer;
  readonly link: Link;
  readonly texts: ReturnType<typeof inbox<string>>;
}

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
  publisher = parts.use(await connect(server.url, "declare"));
});

afterEach(async () => {
  await parts.disposeAsync();
});

const connect = (url: string, topology: "declare" | "passive"): Promise<Broker> =>
  connectBroker({ url, name: "test", topology, agents: [], log: quiet });

const textOf = ({ body }: Delivery) => body.toString();

async function read(handle?: () => Promise<void>): Promise<Reader> {
  const link = parts.use(await openLink(server.url));
  const broker = parts.use(await connect(link.url, "passive"));
  const texts = inbox<string>();
  const options = { prefetch: 100, max: 100 };
  const consumer = await broker.consumeShared(queues, options, async (batch) => {
    for (const delivery of batch) texts.add(textOf(delivery));
    await handle?.();
  });
  parts.use(consumer);
  return { consumer, link, texts };
}

async function publish(queue: string, text: string): Promise<void> {
  const message = { exchange: "", routingKey: queue, type: "step.reply.v1", messageId: text };
  expect(await publisher.publish({ ...message, body: Buffer.from(text) })).toBe("stored");
}

test("each consumer owns one queue, and a consumer that finds none free owns none", async () => {
  const readers = [await read(), await read(), await read(), await read()];
  expect(readers.map(({ consumer }) => consumer.own)).toEqual([first, second, third, null]);
});

test("messages in an owned queue go to its owner, however many consumers read it", async () => {
  const [one, other] = [await read(), await read()];
  await read();
  const numbers = Array.from({ length: 30 }, (_, index) => String(index));
  for (const text of numbers) await publish(first, text);
  for (const text of numbers) await publish(second, text);
  expect(await one.texts.first(30)).toEqual(numbers);
  expect(await other.texts.first(30)).toEqual(numbers);
});

test("messages in a queue without an owner go to all consumers in turn", async () => {
  const readers = [await read(), await read()];
  for (const text of ["a", "b", "c", "d"]) await publish(replyQueue, text);
  await until(() => readers.every(({ texts }) => texts.items.length === 2));
});

test("after a consumer dies, others get its unacknowledged messages, and its queue is free", async () => {
  const never = Promise.withResolvers<void>();
  const [one, other] = [await read(() => never.promise), await read()];
  await publish(first, "in hand");
  await one.texts.first(1);
  one.link.takeDown();
  expect(await other.texts.first(1)).toEqual(["in hand"]);
  await publish(first, "afterwards");
  expect(await other.texts.first(2)).toEqual(["in hand", "afterwards"]);
  never.resolve();
  const next = await read();
  expect(next.consumer.own).toBe(first);
});

test("a consumer that reconnects owns a queue again", async () => {
  const [one] = [await read(), await read()];
  one.link.reset();
  // Until both sides have noticed, it may be one that it had before, and may be none.
  const isBack = async () => {
    await publish(one.consumer.own ?? replyQueue, "a");
    return one.texts.items.length > 0;
  };
  await until(isBack);
  expect([first, third]).toContain(one.consumer.own);
});

test("a consumer that reopens its channel keeps the queue that it owns, and leaves the others free", async () => {
  const [one, other] = [await read(), await read()];
  await one.consumer[Symbol.asyncDispose]();
  one.link.takeDown();
  // A deleted queue cancels its consumers, who reopen their channel on the same connection.
  await server.deleteQueue(third);
  parts.use(await connect(server.url, "declare"));
  await until(async () => {
    await publish(second, "again");
    return other.texts.items.length > 0;
  });
  expect(other.consumer.own).toBe(second);
  expect((await read()).consumer.own).toBe(first);
});
