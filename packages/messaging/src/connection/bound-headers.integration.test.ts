import { deadRequestQueue, expiredQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Channel, Connection } from "amqplib";
import { openTestedBroker, queue, type TestedBroker, textOf } from "../../test/broker.ts";
import { inbox, until } from "../../test/fixtures.ts";
import type { Delivery } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const shortText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

function sized(content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([size, content]);
}

/** A header `workflow`, and one `x` that is a list in a list, and so on: five bytes for each. */
function nestedHeaders(levels: number): Buffer {
  const lists = Buffer.alloc(levels * 5, "A");
  for (let level = 0; level < levels; level += 1) {
    lists.writeUInt32BE((levels - level - 1) * 5, level * 5 + 1);
  }
  const workflow = Buffer.concat([
    shortText("workflow"),
    Buffer.from("S"),
    sized(Buffer.from("trip")),
  ]);
  return sized(Buffer.concat([workflow, shortText("x"), lists]));
}

/** Headers of eight bytes each: a short name that is true. */
const manyHeaders = (count: number): Buffer =>
  sized(
    Buffer.concat(
      Array.from({ length: count }, (_, index) =>
        Buffer.concat([shortText(String(index).padStart(5, "x")), Buffer.from("t\u0001")]),
      ),
    ),
  );

/** Publishes what the client cannot write either: the frames of `basic.publish`, by hand. */
function publishFrames(channel: Channel, to: string, headers: Buffer): void {
  const { stream } = channel.connection as unknown as Connection & {
    readonly stream: { write(bytes: Buffer): void };
  };
  const { ch } = channel as unknown as { readonly ch: number };
  const frame = (type: number, payload: Buffer) => {
    const head = Buffer.from([type, ch >> 8, ch & 255]);
    return Buffer.concat([head, sized(payload), Buffer.from([0xce])]);
  };
  const body = Buffer.from("order");
  const bodySize = Buffer.alloc(8);
  bodySize.writeBigUInt64BE(BigInt(body.length));
  const contentTypeHeadersMessageId = Buffer.from([0xa0, 0x80]);
  stream.write(
    Buffer.concat([
      frame(
        1,
        Buffer.concat([Buffer.from([0, 60, 0, 40, 0, 0, 0]), shortText(to), Buffer.from([0])]),
      ),
      frame(
        2,
        Buffer.concat([
          Buffer.from([0, 60, 0, 0]),
          bodySize,
          contentTypeHeadersMessageId,
          shortText("application/json"),
          headers,
          shortText("order-1"),
        ]),
      ),
      frame(3, body),
    ]),
  );
}

test("a message whose headers exhaust the stack becomes a dead letter, and costs no connection", async () => {
  const deliveries = inbox<Delivery>();
  await using _consumer = await tested.broker.consumeBatches(
    queue,
    { prefetch: 10, max: 10 },
    async (batch) => batch.forEach((one) => deliveries.add(one)),
  );
  publishFrames(tested.operator, queue, nestedHeaders(26_000));
  tested.operator.publish("", queue, Buffer.from("good"));
  expect((await deliveries.first(1)).map(textOf)).toEqual(["good"]);
  await until(async () => (await tested.broker.inspect(expiredQueue))?.messages === 1);
});

test("the dead letter is kept with its body and its properties, and is not whole", async () => {
  const deliveries = inbox<Delivery>();
  await using _consumer = await tested.broker.consumeBatches(
    deadRequestQueue,
    { prefetch: 10, max: 10, oversized: "cut" },
    async (batch) => batch.forEach((one) => deliveries.add(one)),
  );
  publishFrames(tested.operator, deadRequestQueue, nestedHeaders(26_000));
  const [deadLetter] = await deliveries.first(1);
  expect(deadLetter).toMatchObject({ messageId: "order-1", size: 5 });
  expect(deadLetter?.header?.("workflow")).toBeUndefined();
  expect(deadLetter?.keep?.()).toMatchObject({ isWhole: false });
});

test("headers that are read for long are left out, and the message comes with all else", async () => {
  const deliveries = inbox<Delivery>();
  await using _consumer = await tested.broker.consumeBatches(
    deadRequestQueue,
    { prefetch: 10, max: 10, oversized: "cut" },
    async (batch) => batch.forEach((one) => deliveries.add(one)),
  );
  publishFrames(tested.operator, deadRequestQueue, manyHeaders(4_000));
  publishFrames(tested.operator, deadRequestQueue, manyHeaders(5_000));
  const [short, long] = await deliveries.first(2);
  expect(short?.header?.("x1234")).toBe(true);
  expect(long).toMatchObject({ messageId: "order-1", size: 5 });
  expect(long?.header?.("x1234")).toBeUndefined();
  expect(long?.keep?.()).toMatchObject({ isWhole: false });
});

test("headers that can be read come as they are", async () => {
  const deliveries = inbox<Delivery>();
  await using _consumer = await tested.broker.consume(queue, { prefetch: 1 }, async (one) =>
    deliveries.add(one),
  );
  publishFrames(tested.operator, queue, nestedHeaders(8));
  expect((await deliveries.first(1)).map(({ header }) => header?.("workflow"))).toEqual(["trip"]);
});
