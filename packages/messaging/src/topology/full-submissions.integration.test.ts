import {
  signalExchange,
  signalQueue,
  submissionExchange,
  submissionQueue,
} from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type ConfirmChannel, connect } from "amqplib";
import {
  managementUrlOf,
  message,
  openTestedBroker,
  type TestedBroker,
} from "../../test/broker.ts";
import { until } from "../../test/fixtures.ts";
import { callManagement, vhostOf } from "../inspect/management-api.ts";

const bytes = 1_000;
const fullAt = 20 * bytes;

let tested: TestedBroker;
beforeEach(async () => {
  tested = await openTestedBroker();
});
afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

/** The queue keeps its arguments. Of two bounds the broker takes the smaller one. */
async function makeRoomScarce(queue: string): Promise<void> {
  const { url } = tested.server;
  await callManagement({
    url: managementUrlOf(url),
    method: "PUT",
    path: `/api/policies/${encodeURIComponent(vhostOf(url))}/scarce`,
    body: {
      pattern: `^${queue.replaceAll(".", "\\.")}$`,
      "apply-to": "queues",
      definition: { "max-length-bytes": fullAt },
    },
  });
}

interface Place {
  readonly exchange: string;
  readonly routingKey: string;
}

/** Whether the broker confirms a message. */
function submit(channel: ConfirmChannel, { exchange, routingKey }: Place): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const body = Buffer.alloc(bytes, "x");
  channel.publish(exchange, routingKey, body, { persistent: true }, (error: unknown) =>
    resolve(error === null),
  );
  return promise;
}

test.each([
  { exchange: submissionExchange, routingKey: submissionQueue },
  { exchange: signalExchange, routingKey: signalQueue },
])(
  "an application gets a nack while $routingKey is full, and a confirm once there is room",
  async (place) => {
    const { routingKey: queue } = place;
    await makeRoomScarce(queue);
    const connection = await connect(tested.server.url);
    const channel = await connection.createConfirmChannel();
    await until(async () => !(await submit(channel, place)));
    const kept = await tested.server.depth(queue);
    expect(kept).toBeGreaterThan(0);
    const others = Array.from({ length: 10 }, () => submit(channel, place));
    expect(await Promise.all(others)).not.toContain(true);
    expect(await tested.server.depth(queue)).toBe(kept);
    // Replays of operators go the same way.
    expect(await tested.broker.publish(message("x", place))).toBe("unknown");
    await tested.server.purge(queue);
    await until(() => submit(channel, place));
    await tested.publishAtLast(message("y", place));
    await connection.close();
  },
);
