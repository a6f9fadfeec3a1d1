import { setTimeout as sleep } from "node:timers/promises";
import { TaskStatus } from "@holdfast/contracts";
import { askBroker } from "@holdfast/local-stack";
import type { Broker } from "@holdfast/messaging";
import type { StatusMessage } from "../checker/evidence.ts";

interface Options {
  readonly broker: Pick<Broker, "consume">;
  readonly brokerUrl: string;
  readonly queue: string;
  readonly record: (message: StatusMessage) => void;
  /** Called each time that the queue was found or made again. */
  readonly onQueue: (at: number) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks whether the queue is still there. */
const interval = 1_000;

/**
 * Consumes the queue that the orders name for their statuses, and declares it again after a broker
 * was wiped.
 */
export async function listenToStatuses(options: Options): Promise<AsyncDisposable> {
  const { broker, brokerUrl, queue, record, onQueue, signal } = options;
  const declare = async () => {
    await askBroker(brokerUrl, async (channel) => {
      await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
    });
    onQueue(Date.now());
  };
  await declare();
  const consumer = await broker.consume(queue, { prefetch: 200 }, async ({ body }) => {
    const { taskId, sequence, event, state } = TaskStatus.decode(body);
    record({ at: Date.now(), taskId, sequence, event, state });
  });
  const keeping = (async () => {
    while (!signal.aborted) {
      await sleep(interval, undefined, { signal }).catch(() => {});
      await declare().catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      await keeping;
      await consumer[Symbol.asyncDispose]();
    },
  };
}
