import { Socket } from "node:net";
import { replyExchange, replyQueue } from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { accessTo } from "../../test/access.ts";
import { message, openTestedBroker, type TestedBroker } from "../../test/broker.ts";
import { inbox } from "../../test/fixtures.ts";
import type { Delivery, PublishResult } from "../broker.ts";
import { openConnection } from "../connection/open-connection.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

describe("publishing", () => {
  test("keeps all properties of a message", async () => {
    const received = inbox<Delivery>();
    await using _consumer = await tested.broker.consume(
      replyQueue,
      { prefetch: 1 },
      async (delivery) => received.add(delivery),
    );
    const user = decodeURIComponent(new URL(tested.server.url).username) || "guest";
    await tested.broker.publish({
      exchange: replyExchange,
      routingKey: "reply.payments.t-1",
      type: "step.reply.v1",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "somewhere",
      userId: user,
      body: Buffer.from("{}"),
    });
    const [delivery] = await received.first(1);
    expect(delivery).toMatchObject({
      type: "step.reply.v1",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "somewhere",
      userId: user,
      routingKey: "reply.payments.t-1",
      deathReason: undefined,
      redelivered: false,
    });
  });

  test("distinguishes unroutable messages from stored ones, however they are mixed", async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        tested.broker.publish(message("x", index % 3 === 0 ? { routingKey: "nowhere" } : {})),
      ),
    );
    const expected = results.map(
      (_, index): PublishResult => (index % 3 === 0 ? "unroutable" : "stored"),
    );
    expect(results).toEqual(expected);
  });

  test("reports unconfirmed messages as unknown if the connection breaks, and goes on", async () => {
    const underWay = tested.publishAll(["a", "b", "c"]);
    tested.link.reset();
    expect(await underWay).toEqual(["unknown", "unknown", "unknown"]);
    await tested.publishAtLast(message("d"));
  });

  test("goes on after the broker has closed the channel over a forged user", async () => {
    expect(await tested.broker.publish(message("x", { userId: "another-user" }))).toBe("unknown");
    await tested.publishAtLast(message("y"));
  });

  test("replaces its channel if the broker refuses a message, and loses no other message", async () => {
    const full = { durable: true, maxLength: 1, arguments: { "x-overflow": "reject-publish" } };
    await tested.operator.assertQueue("full", full);
    const toFull = () => tested.broker.publish(message("refused", { routingKey: "full" }));
    expect(await toFull()).toBe("stored");
    const seen: string[] = [];
    // Longer than it takes to replace the channel some times.
    const endAt = performance.now() + 1_500;
    while (performance.now() < endAt) {
      const [refused, other] = await Promise.all([
        toFull(),
        tested.broker.publish(message("other")),
      ]);
      seen.push(`${refused} ${other}`);
    }
    expect([...new Set(seen)]).toEqual(["unknown stored"]);
    await tested.operator.purgeQueue("full");
    expect(await toFull()).toBe("stored");
  });

  test("never waits for the TCP acknowledgement of the previous packet", async () => {
    const setNoDelay = jest.spyOn(Socket.prototype, "setNoDelay");
    await using _connection = await openConnection({
      server: accessTo(tested.server.url),
      name: "test",
    });
    expect(setNoDelay.mock.calls).toEqual([[true]]);
    setNoDelay.mockRestore();
  });
});
