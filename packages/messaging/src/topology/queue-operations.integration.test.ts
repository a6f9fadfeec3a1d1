import { randomUUID } from "node:crypto";
import { statusExchange } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openTestedBroker, type TestedBroker } from "../../test/broker.ts";
import { until } from "../../test/fixtures.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const bind = (queue: string) =>
  tested.broker.bind({ exchange: statusExchange, queue, routingKey: queue });

/** As a submitter declares the queue of its statuses. */
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
