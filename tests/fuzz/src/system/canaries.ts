import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AgentHeartbeat,
  expiredQueue,
  heartbeatExchange,
  heartbeatQueue,
  heartbeatRoute,
  replyQueues,
  signalQueue,
  submissionQueue,
} from "@holdfast/contracts";
import { askBroker, queryOnce } from "@holdfast/local-stack";
import type { ConfirmChannel } from "amqplib";

interface Options {
  readonly brokerUrl: string;
  readonly stateStoreUrl: string;
  /** Milliseconds within which each must have been read. */
  readonly timeout: number;
}

interface Canary {
  readonly queue: string;
  readonly id: string;
}

const interval = 200;

/**
 * Sends a message to each queue of which the store shows that it was read: garbage, which must
 * become a dead letter, and a heartbeat. Resolves to the queues of which nothing was read in time.
 */
export async function sendCanaries(options: Options): Promise<readonly string[]> {
  const { brokerUrl, stateStoreUrl, timeout } = options;
  const deadLetters = [...replyQueues, expiredQueue, submissionQueue, signalQueue].map(canaryOf);
  const heartbeat = canaryOf(heartbeatQueue);
  const beat = {
    agent: "inventory",
    instance: heartbeat.id,
    capacity: 1,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
  } as const;
  const giveUpAt = performance.now() + timeout;
  /** A queue whose leader has just failed refuses for a moment. */
  const stored = async (publish: (channel: ConfirmChannel) => void): Promise<void> => {
    while (performance.now() < giveUpAt && !(await isStored(brokerUrl, publish)))
      await sleep(interval);
  };
  for (const { queue, id } of deadLetters) {
    const properties = { messageId: id, persistent: true };
    await stored((channel) => channel.sendToQueue(queue, Buffer.from("{"), properties));
  }
  const body = AgentHeartbeat.encode(beat);
  await stored((channel) => channel.publish(heartbeatExchange, heartbeatRoute("inventory"), body));
  for (;;) {
    const found = await idsRead(stateStoreUrl);
    const missing = [...deadLetters, heartbeat].filter(({ id }) => !found.has(id));
    if (missing.length === 0 || performance.now() > giveUpAt) {
      return missing.map(({ queue }) => queue);
    }
    await sleep(interval);
  }
}

const isStored = (
  brokerUrl: string,
  publish: (channel: ConfirmChannel) => void,
): Promise<boolean> =>
  askBroker(brokerUrl, async (channel) => {
    publish(channel);
    await channel.waitForConfirms();
  }).then(
    () => true,
    () => false,
  );

const canaryOf = (queue: string): Canary => ({ queue, id: `canary-${randomUUID()}` });

async function idsRead(url: string): Promise<ReadonlySet<string>> {
  const rows = await queryOnce<{ id: string }>(
    url,
    `select message_id as id from state.dead_letters where message_id like 'canary-%'
      union all select instance from state.agents where instance like 'canary-%'`,
  );
  return new Set(rows.map(({ id }) => id));
}
