import { submissionQueue } from "@holdfast/contracts";
import { openLink, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { until } from "../test/fixtures.ts";
import type { Broker } from "./broker.ts";
import { connectInBackground } from "./connect-in-background.ts";

const consumeIfThere = async (broker: Broker): Promise<AsyncDisposable> => {
  if ((await broker.inspect(submissionQueue)) === null) throw new Error("no queue");
  return broker.consumeBatches(submissionQueue, { prefetch: 1, max: 1 }, async () => {});
};

test("connecting is retried while the broker lacks the queue, and no try leaves connections behind", async () => {
  await using server = await testBroker();
  await using link = await openLink(server.url);
  const failures: object[] = [];
  let isConnected = false;
  await using _background = connectInBackground(
    {
      url: link.url,
      name: "test",
      topology: "passive",
      agents: [],
      log: { warn: (fields) => void failures.push(fields), error: () => {} },
    },
    async (broker) => {
      const consumer = await consumeIfThere(broker);
      isConnected = true;
      return consumer;
    },
  );
  await until(() => failures.length === 3);
  // One try is over, and its connections with it.
  await until(() => link.connections === 0 || failures.length > 3);
  expect(link.connections).toBe(0);

  const operator = await connect(server.url);
  await (await operator.createChannel()).assertQueue(submissionQueue, { durable: true });
  await operator.close();
  await until(() => isConnected);
  expect(link.connections).toBe(2);
});
