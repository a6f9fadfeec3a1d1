import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { message, openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { until } from "../../test/fixtures.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

/** A table of tables: printed with an indent for each level, these 3 KB take megabytes. */
const nested = (levels: number): object =>
  levels === 0 ? { a: Array.from({ length: 200 }, () => 1) } : { a: nested(levels - 1) };

/**
 * RabbitMQ before 4.0 ends the process of a queue that is to dead-letter a message with such a
 * header, or has it write the whole header into its log, for minutes.
 */
const broken = [["text"], [null], [1], [["text"]], [{ count: 1 }, "text"], true, nested(200)];

/** Any client may publish these headers; ours would not. */
async function publishBroken(times: number): Promise<void> {
  const connection = await connect(tested.server.url);
  const channel = await connection.createConfirmChannel();
  for (let sent = 0; sent < times; sent += 1) {
    for (const deaths of broken) {
      const headers = { "x-death": deaths };
      channel.publish("", queue, Buffer.from("broken"), { headers, persistent: true });
    }
  }
  await channel.waitForConfirms();
  await connection.close();
}

test.each([
  ["are rejected", "reject"],
  ["cannot be handled", "throw"],
] as const)(
  "messages with a broken x-death header that %s neither stop their consumer nor are redelivered",
  async (_, how) => {
    let refused = 0;
    const good: string[] = [];
    await using _consumer = await tested.broker.consume(
      queue,
      { prefetch: 20 },
      async (delivery) => {
        const text = textOf(delivery);
        if (text !== "broken") return void good.push(text);
        refused += 1;
        if (how === "throw") throw new Error("It cannot be handled");
        delivery.reject();
      },
    );
    for (let round = 0; round < 5; round += 1) {
      await publishBroken(3);
      expect(await tested.broker.publish(message(`good ${round}`))).toBe("stored");
      await until(() => good.length === round + 1);
    }
    await until(async () => refused >= 105 && (await tested.isEmpty(queue)));
    expect(refused).toBe(105);
    expect(tested.broker.isReady).toBe(true);
  },
);
