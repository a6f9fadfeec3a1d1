import { setTimeout as sleep } from "node:timers/promises";
import { heartbeatQueue } from "@holdfast/contracts";
import type { QueueDepth } from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";

/** Milliseconds after the last fault within which everything must have ended. */
const healWithin = 45_000;
const interval = 200;

/** Whether all orders were answered and have ended within the time. */
export async function untilEnded(
  environment: Environment,
  submitting: Promise<void>,
): Promise<boolean> {
  const isAnswered = submitting.then(() => true);
  const giveUpAt = performance.now() + healWithin;
  while (performance.now() < giveUpAt) {
    const answered = await Promise.race([isAnswered, sleep(interval, false)]);
    if (answered && (await openOrders(environment)) === 0) return true;
    await sleep(interval);
  }
  return false;
}

async function openOrders({ query }: Environment): Promise<number> {
  const rows = await query<{ open: number }>(
    `select ((select count(*) from state.tasks where process_state not in ('processed', 'undone'))
          + (select count(*) from state.outbox))::integer as open`,
  );
  return rows[0]?.open ?? 1;
}

const quietWithin = 10_000;

/** The queues once nothing moves any more, or after a while all the same. */
export async function quietQueues(environment: Environment) {
  const giveUpAt = performance.now() + quietWithin;
  for (;;) {
    const queues = await readQueues(environment);
    const isQuiet = queues.every(({ messages }) => messages === 0);
    if (isQuiet || performance.now() > giveUpAt) return queues;
    await sleep(interval);
  }
}

/** Heartbeats come all the time, and no task waits for one. */
const ignored: ReadonlySet<string> = new Set([heartbeatQueue]);

/** How many messages each queue has, unacknowledged ones included. */
async function readQueues({ broker }: Pick<Environment, "broker">): Promise<readonly QueueDepth[]> {
  const vhost = decodeURIComponent(new URL(broker.url).pathname.slice(1));
  const question = ["list_queues", "--vhost", vhost, "--formatter", "json", "name", "messages"];
  const listed = await broker.rabbitmqctl(...question);
  const rows = JSON.parse(listed) as readonly {
    readonly name: string;
    readonly messages: number;
  }[];
  return rows
    .filter(({ name }) => !ignored.has(name))
    .map(({ name, messages }) => ({ queue: name, messages }));
}
