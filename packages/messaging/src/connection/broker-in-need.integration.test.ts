import { agentQueue } from "@holdfast/contracts";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { inbox, until } from "../../test/fixtures.ts";
import type { Broker, Delivery, OutgoingMessage } from "../broker.ts";
import { connectBroker } from "../connect-broker.ts";

const queue = agentQueue("payments");

let parts: AsyncDisposableStack;
let link: Link;
let broker: Broker;
let texts: ReturnType<typeof inbox<string>>;
let lines: string[];

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  const server: TestBroker = parts.use(await testBroker());
  link = parts.use(await openLink(server.url));
  const url = new URL(link.url);
  // A second instead of five: the tests need not wait so long.
  url.searchParams.set("heartbeat", "1");
  lines = [];
  const say = (_: object, message: string) => void lines.push(message);
  const log = { info: say, warn: say, error: say };
  const options = { topology: "declare", agents: ["payments"], log } as const;
  broker = parts.use(await connectBroker({ url: url.href, name: "test", ...options }));
  texts = inbox<string>();
  const add = async ({ body }: Delivery) => texts.add(body.toString());
  parts.use(await broker.consume(queue, { prefetch: 10 }, add));
});

afterEach(async () => {
  await parts.disposeAsync();
});

const publish = (text: string) => {
  const message: OutgoingMessage = {
    exchange: "",
    routingKey: queue,
    type: "step.request.v1",
    messageId: text,
    body: Buffer.from(text),
  };
  return broker.publish(message);
};

/** What a broker that is short of memory says, and what it says when it has recovered. */
const connectionMethod = (id: number, args: Buffer): Buffer => {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, id]), args]);
  const head = Buffer.alloc(7);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
};
const blocked = connectionMethod(60, Buffer.from("\x0alow on ram"));
const unblocked = connectionMethod(61, Buffer.alloc(0));

test("publishing to a broker that blocks its publishers returns at once, without sending", async () => {
  expect(await publish("before")).toBe("stored");
  await texts.first(1);
  link.inject(blocked);
  await until(() => !broker.isReady);
  const startedAt = performance.now();
  expect(await publish("meanwhile")).toBe("unknown");
  // One that is sent waits three seconds for its confirm.
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  link.inject(unblocked);
  await until(() => broker.isReady);
  expect(await publish("after")).toBe("stored");
  expect(await texts.first(2)).toEqual(["before", "after"]);
  // Both connections were blocked; the alarm is one.
  expect(lines).toEqual(["broker blocks publishers", "broker accepts messages again"]);
});

test("a silent connection is detected and replaced", async () => {
  expect(await publish("before")).toBe("stored");
  link.silence();
  const startedAt = performance.now();
  expect(await publish("into the void")).toBe("unknown");
  // Three seconds for a confirm, or sooner when the heartbeats are missed first. A system without
  // either waits for minutes.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  await until(async () => (await publish("after")) === "stored");
  await until(() => texts.items.includes("after"));
});

test("six lost connections leave no more resources behind than two, and one channel for each use", async () => {
  for (let round = 0; round < 6; round += 1) {
    link.reset();
    await until(async () => (await publish(`round ${round}`)) === "stored");
    await until(() => broker.isReady);
  }
  await until(() => texts.items.includes("round 5"));
  expect(link.connections).toBe(2);
  expect(await broker.inspect(queue)).toMatchObject({ consumers: 1 });
});

test("a connection that was down for a while is opened again without a call", async () => {
  link.takeDown();
  await until(() => !broker.isReady);
  expect(await publish("meanwhile")).toBe("unknown");
  link.heal();
  await until(() => broker.isReady);
  await until(async () => (await publish("after")) === "stored");
  await until(() => texts.items.includes("after"));
});

test("twenty thousand messages published at once are all confirmed", async () => {
  const results = await Promise.all(
    Array.from({ length: 20_000 }, (_, index) => publish(`message ${index}`)),
  );
  const unconfirmed = results.filter((result) => result !== "stored");
  expect(unconfirmed.every((result) => result === "unknown")).toBe(true);
  await until(() => texts.items.length >= results.length - unconfirmed.length);
});
