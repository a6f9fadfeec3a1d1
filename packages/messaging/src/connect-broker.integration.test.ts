import { wakeQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { accessTo } from "../test/access.ts";
import { message, openTestedBroker, queue, type TestedBroker } from "../test/broker.ts";
import { quiet } from "../test/fixtures.ts";
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
  await using connection = await openConnection({
    server: accessTo(tested.link.url),
    name: "test",
  });
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
