import { agentQueue, isStatusQueue } from "@holdfast/contracts";
import { topologyOf } from "../topology/topology.ts";
import { callManagement, type ManagementAddress, vhostOf } from "./management-api.ts";

/** A queue as RabbitMQ's HTTP API counts it; null: this broker collects no statistics. */
export interface CountedQueue {
  readonly name: string;
  readonly ready: number | null;
  readonly unacked: number | null;
  readonly consumers: number | null;
  readonly state: string | null;
}

interface RawQueue {
  readonly name: string;
  readonly messages_ready?: number;
  readonly messages_unacknowledged?: number;
  readonly consumers?: number;
  readonly state?: string;
}

const columns = "name,messages_ready,messages_unacknowledged,consumers,state";
const fixed: ReadonlySet<string> = new Set(topologyOf([]).queues.map(({ name }) => name));
const mostQueues = 1_000;

/**
 * The queues of Holdfast in a virtual host, by name: 1,000 at most. Throws as `callManagement`
 * does.
 */
export async function countQueues({
  url,
  brokerUrl,
}: ManagementAddress): Promise<readonly CountedQueue[]> {
  const vhost = encodeURIComponent(vhostOf(brokerUrl));
  const path = `/api/queues/${vhost}?disable_stats=false&columns=${columns}`;
  const queues = await callManagement<readonly RawQueue[]>({ url, path });
  return queues
    .filter(({ name }) => isOurs(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, mostQueues)
    .map((queue) => ({
      name: queue.name,
      ready: queue.messages_ready ?? null,
      unacked: queue.messages_unacknowledged ?? null,
      consumers: queue.consumers ?? null,
      state: queue.state ?? null,
    }));
}

const isOurs = (name: string): boolean =>
  fixed.has(name) || name.startsWith(agentQueue("")) || isStatusQueue(name);
