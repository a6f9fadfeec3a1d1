import { submissionExchange, submissionQueue } from "@holdfast/contracts";
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
async function makeRoomScarce(): Promise<void> {
  const { url } = tested.server;
  await callManagement({
    url: managementUrlOf(url),
    method: "PUT",
    path: `/api/policies/${encodeURIComponent(vhostOf(url))}/scarce`,
    body: {
      pattern: `^${submissionQueue.replaceAll(".", "\\.")}$`,
      "apply-to": "queues",
      definition: { "max-length-bytes": fullAt },
    },
  });
}

/** Whether the broker confirms a submission. */
function submit(channel: ConfirmChannel): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const body = Buffer.alloc(bytes, "x");
  channel.publish(
    submissionExchange,
    submissionQueue,
    body,
    { persistent: true },
    (error: unknown) => resolve(error === null),
  );
  return promise;
}

test("a submitter gets a nack while task.submissions is full, and a confirm once there is room", async () => {
  await makeRoomScarce();
  const connection = await connect(tested.server.url);
  const channel = await connection.createConfirmChannel();
  await until(async () => !(await submit(channel)));
  const kept = await tested.server.depth(submissionQueue);
  expect(kept).toBeGreaterThan(0);
  expect(await Promise.all(Array.from({ length: 10 }, () => submit(channel)))).not.toContain(true);
  expect(await tested.server.depth(submissionQueue)).toBe(kept);
  // Replays of operators go the same way.
  const place = { exchange: submissionExchange, routingKey: submissionQueue };
  expect(await tested.broker.publish(message("x", place))).toBe("unknown");
  await tested.server.purge(submissionQueue);
  await until(() => submit(channel));
  await tested.publishAtLast(message("y", place));
  await connection.close();
});
