import { PermanentFault } from "@holdfast/domain";
import { callManagement } from "../inspect/management-api.ts";
import type { Difference, FoundDefinitions } from "./compare-definitions.ts";
import type { Definitions } from "./definitions.ts";

interface Place {
  /** RabbitMQ's HTTP API, with an administrator. */
  readonly url: string;
  readonly vhost: string;
}

interface Named {
  readonly name: string;
}

interface RawUser extends Named {
  /** A list, or a text with commas in releases before 3.8. */
  readonly tags: readonly string[] | string;
  readonly password_hash: string;
  /** The limits of the user; none in releases before 3.8.10. */
  readonly limits?: Readonly<Record<string, number>>;
}

type OfVhost<Item> = readonly (Item & { readonly vhost: string })[];

/** Reads what a virtual host has. Null: the broker has no such virtual host. */
export async function readDefinitions({ url, vhost }: Place): Promise<FoundDefinitions | null> {
  const ask = <Body>(path: string) => callManagement<Body>({ url, path: `/api/${path}` });
  const name = encodeURIComponent(vhost);
  const vhosts = await ask<readonly Named[]>("vhosts");
  if (!vhosts.some((one) => one.name === vhost)) return null;
  const [users, permissions, topics, exchanges, queues, bindings] = await Promise.all([
    ask<readonly RawUser[]>("users"),
    ask<OfVhost<FoundDefinitions["permissions"][number]>>("permissions"),
    ask<OfVhost<FoundDefinitions["topic_permissions"][number]>>("topic-permissions"),
    ask<FoundDefinitions["exchanges"]>(`exchanges/${name}`),
    ask<FoundDefinitions["queues"]>(`queues/${name}`),
    ask<FoundDefinitions["bindings"]>(`bindings/${name}`),
  ]);
  return {
    users: users.map((user) => ({
      name: user.name,
      tags: typeof user.tags === "string" ? user.tags.split(",").filter(Boolean) : user.tags,
      passwordHash: user.password_hash,
      limits: user.limits ?? {},
      elsewhere: permissions
        .filter((one) => one.user === user.name && one.vhost !== vhost)
        .map((one) => one.vhost),
    })),
    permissions: permissions.filter((one) => one.vhost === vhost),
    topic_permissions: topics.filter((one) => one.vhost === vhost),
    exchanges,
    queues,
    bindings,
  };
}

/** What a virtual host has that has nothing. */
export const nothingFound: FoundDefinitions = {
  users: [],
  permissions: [],
  topic_permissions: [],
  exchanges: [],
  queues: [],
  bindings: [],
};

/** Milliseconds. A cluster elects a leader for each new queue. */
const importWithin = 120_000;

/**
 * Imports definitions: adds what is missing, sets rights, and changes no queue and no exchange that
 * is there.
 */
export async function importDefinitions(
  { url }: Pick<Place, "url">,
  definitions: Definitions,
): Promise<void> {
  const call = { url, method: "POST", path: "/api/definitions", withinMs: importWithin } as const;
  await callManagement({ ...call, body: definitions });
}

/**
 * Removes what a difference names. A queue only while no message waits in it; the broker cannot
 * check that by itself for quorum queues, so what arrives in that very moment is lost, and the
 * Supervisor retries its step.
 */
export async function removeDifference(
  { url, vhost }: Place,
  { kind, name }: Difference,
): Promise<void> {
  const [own, of] = [name, vhost].map(encodeURIComponent);
  const remove = (path: string) => callManagement({ url, method: "DELETE", path: `/api/${path}` });
  switch (kind) {
    case "queue":
      await mustBeEmpty({ url, vhost }, name);
      await remove(`queues/${of}/${own}`);
      return;
    case "permission":
      await remove(`permissions/${of}/${own}`);
      return;
    case "topic permission": {
      const [user = "", exchange = ""] = name.split(" on ").map(encodeURIComponent);
      await remove(`topic-permissions/${of}/${user}/${exchange}`);
      return;
    }
    case "binding": {
      const [, source = "", queue = "", key = ""] = /^(.*) to (.*) by (.*)$/.exec(name) ?? [];
      // The broker's own name of a binding without arguments.
      const properties = key === "no key" ? "~" : encodeURIComponent(key.replaceAll("#", "%23"));
      await remove(
        `bindings/${of}/e/${encodeURIComponent(source)}/q/${encodeURIComponent(queue)}/${properties}`,
      );
      return;
    }
    case "user":
    case "exchange":
      return;
  }
}

/** A broker that collects no statistics counts no messages, so one is asked for, and given back. */
async function mustBeEmpty({ url, vhost }: Place, queue: string): Promise<void> {
  const waiting = await callManagement<readonly unknown[]>({
    url,
    method: "POST",
    path: `/api/queues/${encodeURIComponent(vhost)}/${encodeURIComponent(queue)}/get`,
    body: { count: 1, ackmode: "ack_requeue_true", encoding: "auto", truncate: 1 },
  });
  if (waiting.length === 0) return;
  throw new PermanentFault("broker.request_failed", "messages wait in it: have them handled first");
}
