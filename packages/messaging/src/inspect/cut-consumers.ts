import { agentQueue } from "@holdfast/contracts";
import { callManagement, vhostOf } from "./management-api.ts";

interface CutOptions {
  /** RabbitMQ's HTTP API, with a user who may close connections. */
  readonly url: string;
  /** Names the virtual host. */
  readonly brokerUrl: string;
  readonly agent: string;
  /** The broker user of the Agent; null: not known, or ours, too. */
  readonly user: string | null;
}

interface Consumer {
  readonly queue: { readonly name: string };
  readonly channel_details: { readonly connection_name?: string };
}

/**
 * Closes every connection that consumes the queue of an Agent. A broker that collects no statistics
 * does not say which these are: then all connections of the Agent's user. Resolves to how many it
 * knows of.
 */
export async function cutConsumers(options: CutOptions): Promise<number> {
  const { url, user } = options;
  const names = await connectionsOf(options).catch((error: unknown) => {
    if (user === null) throw error;
    return null;
  });
  const paths =
    names === null
      ? [`/api/connections/username/${encodeURIComponent(user ?? "")}`]
      : names.map((name) => `/api/connections/${encodeURIComponent(name)}`);
  for (const path of paths) await callManagement({ url, method: "DELETE", path });
  return paths.length;
}

async function connectionsOf({ url, brokerUrl, agent }: CutOptions): Promise<readonly string[]> {
  const path = `/api/consumers/${encodeURIComponent(vhostOf(brokerUrl))}`;
  const consumers = await callManagement<readonly Consumer[]>({ url, path });
  const names = consumers
    .filter(({ queue }) => queue.name === agentQueue(agent))
    .flatMap(({ channel_details: { connection_name: name } }) => name ?? []);
  return [...new Set(names)];
}
