import { randomUUID } from "node:crypto";
import { callManagement } from "./management-api.ts";
import type { BrokerServer } from "./server.ts";

export interface Vhost extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** Cuts every connection to it, as a restart of the broker or a fault of the network would. */
  closeAllConnections(): Promise<void>;
  /** Removes it with all that is in it. */
  drop(): Promise<void>;
}

/**
 * Makes a virtual host: a broker of one's own as far as names and messages go. Needs the HTTP API;
 * `rabbitmqctl` would start an Erlang VM for each call.
 */
export async function createVhost(
  { url: brokerUrl, managementUrl }: Pick<BrokerServer, "url" | "managementUrl">,
  name = `test_${randomUUID()}`,
): Promise<Vhost> {
  if (managementUrl === null) {
    throw new Error("A virtual host cannot be made: the broker's HTTP API is not known.");
  }
  const url = new URL(brokerUrl);
  const everything = { configure: ".*", write: ".*", read: ".*" };
  const user = decodeURIComponent(url.username);
  await callManagement(managementUrl, "PUT", ["vhosts", name], {});
  await callManagement(managementUrl, "PUT", ["permissions", name, user], everything);
  url.pathname = `/${encodeURIComponent(name)}`;

  const drop = async () => {
    await callManagement(managementUrl, "DELETE", ["vhosts", name]);
  };
  return {
    name,
    url: url.href,
    drop,
    async closeAllConnections() {
      const path = ["vhosts", name, "connections"];
      const open = await callManagement<readonly { name: string }[]>(managementUrl, "GET", path);
      for (const connection of open ?? []) {
        await callManagement(managementUrl, "DELETE", ["connections", connection.name]);
      }
    },
    [Symbol.asyncDispose]: drop,
  };
}
