import { randomUUID } from "node:crypto";
import { agentQueue, requestExchange, statusExchange } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openTestedBroker, type TestedBroker } from "../../test/broker.ts";
import { quiet, until } from "../../test/fixtures.ts";
import { connectBroker } from "../connect-broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const bind = (queue: string) =>
  tested.broker.bind({ exchange: statusExchange, queue, routingKey: queue });

/** Declares a queue of statuses as a submitter does. */
async function statusQueue(): Promise<string> {
  const { queue } = await tested.operator.assertQueue(`status.${randomUUID()}`, { durable: true });
  return queue;
}

test("binding a queue that does not exist is refused, and others are bound after it", async () => {
  const queue = await statusQueue();
  expect(await bind("status.missing")).toBe("refused");
  expect(await bind(queue)).toBe("bound");
});

test("binding while the broker is away is not known to be refused", async () => {
  const queue = await statusQueue();
  expect(await bind(queue)).toBe("bound");
  tested.link.silence();
  expect(await bind(queue)).toBe("unknown");
  tested.link.takeDown();
  expect(await bind(queue)).toBe("unknown");
  tested.link.heal();
  await until(() => tested.broker.isReady);
  expect(await bind(queue)).toBe("bound");
});

test("the first binding after a connection was lost has a channel of the new one", async () => {
  const queue = await statusQueue();
  expect(await bind(queue)).toBe("bound");
  tested.link.reset();
  await tested.connectionsLost();
  await until(() => tested.broker.isReady);
  expect(await bind(queue)).toBe("bound");
});

test("the queue of an Agent that has become known takes requests, and is declared again on later connections", async () => {
  const { broker, operator, link } = tested;
  const request = () =>
    broker.publish({
      exchange: requestExchange,
      routingKey: "newcomer",
      type: "step.request.v1",
      messageId: randomUUID(),
      body: Buffer.from("{}"),
    });
  expect(await request()).toBe("unroutable");
  expect(await broker.inspect(agentQueue("newcomer"))).toBeNull();
  expect(await broker.declareAgent("newcomer")).toBe(true);
  expect(await request()).toBe("stored");
  expect(await broker.inspect(agentQueue("newcomer"))).toMatchObject({ consumers: 0 });

  await operator.deleteQueue(agentQueue("newcomer"));
  link.reset();
  await tested.connectionsLost();
  await until(() => broker.isReady);
  await until(async () => (await broker.inspect(agentQueue("newcomer"))) !== null);
  expect(await request()).toBe("stored");
});

test("where operators own the topology, no queue is declared", async () => {
  const { server } = tested;
  const options = { url: server.url, name: "test", agents: [], log: quiet } as const;
  await using passive = await connectBroker({ ...options, topology: "passive" });
  expect(await passive.declareAgent("stranger")).toBe(false);
  expect(await passive.inspect(agentQueue("stranger"))).toBeNull();
});
