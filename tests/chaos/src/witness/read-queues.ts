import { heartbeatQueue } from "@holdfast/contracts";
import type { QueueDepth } from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";

/** Heartbeats come all the time, and are missed by nobody. */
const ignored: ReadonlySet<string> = new Set([heartbeatQueue]);

/** How many messages each queue has, those in somebody's hands included. */
export async function readQueues({
  broker,
}: Pick<Environment, "broker">): Promise<readonly QueueDepth[]> {
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
