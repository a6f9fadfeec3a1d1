import { randomUUID } from "node:crypto";
import { setTimeout as rest } from "node:timers/promises";
import type { BrokerServer } from "@holdfast/local-stack";
import { callManagement } from "@holdfast/local-stack";

export interface Vhost extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** Imports definitions whose users are for this virtual host only; they are removed with it. */
  importDefinitions(definitions: object): Promise<void>;
  /**
   * Cuts every connection to it, as a restart of the broker or a fault of the network would. One at
   * least must be open: RabbitMQ knows a connection a moment after it has opened it, so one that is
   * not known yet is waited for.
   */
  closeAllConnections(): Promise<void>;
  /** Removes it with all that is in it. */
  drop(): Promise<void>;
}

/**
 * Makes a virtual host with a user of its own: a broker of one's own as far as names, messages and
 * connections go. Needs the HTTP API; `rabbitmqctl` would start an Erlang VM for each call.
 */
export async function createVhost(
  { url: brokerUrl, managementUrl }: Pick<BrokerServer, "url" | "managementUrl">,
  name = `test_${randomUUID()}`,
): Promise<Vhost> {
  if (managementUrl === null) {
    throw new Error("A virtual host cannot be made: the broker's HTTP API is not known.");
  }
  const call = (
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: readonly string[],
    body?: object,
  ) => callManagement(managementUrl, method, path, body);
  const users = new Set([name]);
  const password = randomUUID();
  await call("PUT", ["vhosts", name], {});
  await call("PUT", ["users", name], { password, tags: "administrator" });
  await call("PUT", ["permissions", name, name], { configure: ".*", write: ".*", read: ".*" });

  const url = new URL(brokerUrl);
  url.username = name;
  url.password = password;
  url.pathname = `/${encodeURIComponent(name)}`;
  /** Counts the open ones that the broker knows. */
  const connections = async (): Promise<number> => {
    const known = [...users].map((user) => call("GET", ["connections", "username", user]));
    return (await Promise.all(known)).flat().length;
  };
  const untilKnown = async (): Promise<void> => {
    const giveUpAt = performance.now() + timeout;
    while ((await connections()) === 0) {
      if (performance.now() > giveUpAt) throw new Error(`No connection to ${name} is open.`);
      await rest(pollInterval);
    }
  };
  const drop = async () => {
    await untilDone(() => call("DELETE", ["vhosts", name]));
    await untilDone(() => call("POST", ["users", "bulk-delete"], { users: [...users] }));
  };
  return {
    name,
    url: url.href,
    drop,
    async importDefinitions(definitions) {
      const { users: imported = [] } = definitions as Definitions;
      for (const user of imported) users.add(user.name);
      await call("POST", ["definitions"], definitions);
    },
    // By its users: lists by virtual host are statistics, which come late or, where off, never.
    async closeAllConnections() {
      await untilKnown();
      for (const user of users) {
        await untilDone(() => call("DELETE", ["connections", "username", user]));
      }
    },
    [Symbol.asyncDispose]: drop,
  };
}

interface Definitions {
  readonly users?: readonly { readonly name: string }[];
}

const tries = 10;
/** Milliseconds. */
const [timeout, pollInterval] = [60_000, 20];

/**
 * The broker gives up on a whole list of connections with a 500 when one of them ends by itself
 * meanwhile, as the second of a service does when the first is cut: the others still stand.
 */
async function untilDone(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (attempt === tries) throw error;
    }
  }
}
