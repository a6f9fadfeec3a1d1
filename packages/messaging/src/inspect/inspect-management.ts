import { callManagement, type ManagementAddress, vhostOf } from "./management-api.ts";

/** What only RabbitMQ's HTTP API tells. */
export interface ManagementFacts {
  /** Resources that a node is short of, such as `disk space`. */
  readonly alarms: readonly string[];
  readonly queues: readonly ManagedQueue[];
  readonly bindings: readonly { readonly exchange: string; readonly queue: string }[];
  /**
   * Open connections of the virtual host; null: this user may not count them at a broker that lists
   * none.
   */
  readonly connections: number | null;
  /** How many connections the virtual host may have; null: there is no limit. */
  readonly maxConnections: number | null;
}

export interface ManagedQueue {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Messages in the queue; null: this broker collects no statistics. */
  readonly messages: number | null;
  readonly consumers: number | null;
  /** The policy that applies to it, and what it says. */
  readonly policy: string | null;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Replicas, and how many of them are there. Null: not replicated. */
  readonly members: number | null;
  readonly online: number | null;
}

/** Asks the HTTP API. A failure becomes a fault in the result: the rest is reported without it. */
export async function inspectManagement({
  url,
  brokerUrl,
}: ManagementAddress): Promise<ManagementFacts | { readonly fault: string }> {
  const name = vhostOf(brokerUrl);
  const vhost = encodeURIComponent(name);
  const isOurs = (one: { readonly vhost: string }): boolean => one.vhost === name;
  try {
    const ask = <Body>(path: string) => callManagement<Body>({ url, path });
    const [health, queues, policies, bindings, connections, limits] = await Promise.all([
      ask<Health>("/api/health/checks/alarms"),
      ask<readonly RawQueue[]>(`/api/queues/${vhost}`),
      ask<readonly RawPolicy[]>(`/api/policies/${vhost}`),
      ask<readonly RawBinding[]>(`/api/bindings/${vhost}`),
      ask<readonly OfVhost[]>("/api/connections"),
      ask<readonly RawLimit[]>(`/api/vhost-limits/${vhost}`),
    ]);
    return {
      alarms: [...new Set((health.alarms ?? []).map(({ resource }) => resource))],
      queues: queues.map((queue) => toQueue(queue, policies)),
      bindings: bindings.map(({ source, destination }) => ({
        exchange: source,
        queue: destination,
      })),
      connections: connections.some(isOurs)
        ? connections.filter(isOurs).length
        : await countByUser(ask, name),
      maxConnections: limits[0]?.value["max-connections"] ?? null,
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/**
 * Who asks is connected, too: a list without any connection is that of a broker from 4.3 on that
 * collects no statistics.
 */
async function countByUser(
  ask: <Body>(path: string) => Promise<Body>,
  vhost: string,
): Promise<number | null> {
  try {
    const users = await ask<readonly { readonly user: string }[]>(
      `/api/vhosts/${encodeURIComponent(vhost)}/permissions`,
    );
    const lists = users.map(({ user }) =>
      ask<readonly OfVhost[]>(`/api/connections/username/${encodeURIComponent(user)}`),
    );
    return (await Promise.all(lists)).flat().filter((one) => one.vhost === vhost).length;
  } catch {
    return null;
  }
}

interface OfVhost {
  readonly vhost: string;
}

interface Health {
  readonly alarms?: readonly { readonly resource: string }[];
}

interface RawQueue {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly messages?: number;
  readonly consumers?: number;
  readonly policy?: string | null;
  readonly effective_policy_definition?: Readonly<Record<string, unknown>>;
  readonly members?: readonly string[];
  readonly online?: readonly string[];
}

interface RawPolicy {
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

interface RawBinding {
  readonly source: string;
  readonly destination: string;
}

interface RawLimit {
  readonly value: { readonly "max-connections"?: number };
}

const toQueue = (queue: RawQueue, policies: readonly RawPolicy[]): ManagedQueue => ({
  name: queue.name,
  arguments: queue.arguments,
  messages: queue.messages ?? null,
  consumers: queue.consumers ?? null,
  policy: queue.policy ?? null,
  definition:
    queue.effective_policy_definition ??
    // A broker that collects no statistics leaves it out.
    policies.find(({ name }) => name === queue.policy)?.definition ??
    {},
  members: queue.members?.length ?? null,
  online: queue.online?.length ?? null,
});
