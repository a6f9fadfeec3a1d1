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
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks whether the queue is still there. */
const rest = 1_000;

/** Hears what the orders' own queue is told. A queue that went with the broker is made again. */
export async function listenToStatuses(options: Options): Promise<AsyncDisposable> {
  const { broker, brokerUrl, queue, record, signal } = options;
  const declare = () =>
    askBroker(brokerUrl, async (channel) => {
      await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
    });
  await declare();
  const consumer = await broker.consume(queue, { prefetch: 200 }, async ({ body }) => {
    const { taskId, sequence, event, state } = TaskStatus.decode(body);
    record({ at: Date.now(), taskId, sequence, event, state });
  });
  const keeping = (async () => {
    while (!signal.aborted) {
      await sleep(rest, undefined, { signal }).catch(() => {});
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
