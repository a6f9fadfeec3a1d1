import { deliveryLimit } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import type { Channel, ConsumeMessage } from "amqplib";
import { handleEach } from "./handle-each.ts";
import { toInboundMessage } from "./inbound-message.ts";

interface Options {
  readonly prefetch: number;
  readonly onFailure: "retry" | "drop";
  /** Redeliveries after which the queue gives a message up; a queue for hints never does. */
  readonly limit: number;
}

/**
 * A queue whose messages are handed over as a broker does, what is requeued first, and a handler
 * that fails on all but one.
 */
function consume({ prefetch, onFailure, limit }: Options) {
  const queue = [...Array<string>(prefetch).fill("bad"), "good"].map((text) => ({
    text,
    times: 0,
  }));
  const unacknowledged = new Map<number, (typeof queue)[number]>();
  const handled = Promise.withResolvers<void>();
  let tag = 0;
  let calls = 0;
  const acknowledge = ({ fields }: ConsumeMessage, isRequeued: boolean): void => {
    const one = unacknowledged.get(fields.deliveryTag)!;
    unacknowledged.delete(fields.deliveryTag);
    if (isRequeued && one.times < limit) queue.unshift({ ...one, times: one.times + 1 });
    deliver();
  };
  const channel = {
    ack: (message: ConsumeMessage) => acknowledge(message, false),
    reject: (message: ConsumeMessage, requeue: boolean) => acknowledge(message, requeue),
  } as unknown as Channel;
  const intake = handleEach({
    queue: "tested",
    onFailure,
    async handle({ body }) {
      calls += 1;
      // What nothing ends is ended by the test.
      if (calls > prefetch * 100)
        return handled.reject(new Error("the good one was not delivered"));
      if (body.toString() === "good") return handled.resolve();
      throw new Error("no");
    },
    log: { error: () => {} },
  });
  function deliver(): void {
    while (unacknowledged.size < prefetch) {
      const one = queue.shift();
      if (one === undefined) return;
      unacknowledged.set((tag += 1), one);
      const fields = { deliveryTag: tag, redelivered: one.times > 0, routingKey: "tested" };
      const message = { content: Buffer.from(one.text), fields, properties: {} };
      const around = { answer: () => Promise.reject(new Error("no")), onAcknowledged: () => {} };
      intake.take(toInboundMessage(channel, message as unknown as ConsumeMessage, around));
    }
  }
  deliver();
  return { handled: handled.promise, callsOf: () => calls };
}

test.each([1, 3, 100])(
  "behind %i requests that fail, as many as are prefetched, a good one is handled once they have been redelivered to their limit",
  async (prefetch) => {
    const { handled, callsOf } = consume({ prefetch, onFailure: "retry", limit: deliveryLimit });
    await handled;
    expect(callsOf()).toBeLessThanOrEqual(prefetch * (deliveryLimit + 1) + 1);
  },
);

test.each([1, 3, 100])(
  "behind %i hints that fail, as many as are prefetched, a good one is handled: what fails of hints is not redelivered",
  async (prefetch) => {
    const limit = Number.POSITIVE_INFINITY;
    const { handled, callsOf } = consume({ prefetch, onFailure: "drop", limit });
    await handled;
    expect(callsOf()).toBe(prefetch + 1);
  },
);
