import { disposableStack } from "@holdfast/runtime";
import type { Client } from "pg";

/** What stands between us and the server. */
export type FoundPooler =
  | "none"
  /** A connection keeps its session for as long as it lives. */
  | "session"
  /** Connections share sessions: each transaction may get another one. */
  | "transaction";

const tries = 3;

/**
 * A pooler answers the greeting itself, with a session number of its own. And where two connections
 * that live at the same time get the same session, they share it.
 */
export async function findPooler(create: () => Client): Promise<FoundPooler> {
  await using stack = disposableStack();
  const connect = async () => {
    const client = create();
    stack.defer(() => client.end());
    await client.connect();
    return client;
  };
  const [one, other] = [await connect(), await connect()];
  const seen = { one: new Set<number>(), other: new Set<number>() };
  for (let attempt = 0; attempt < tries; attempt += 1) {
    seen.one.add(await sessionOf(one));
    seen.other.add(await sessionOf(other));
  }
  const shared = [...seen.one].some((session) => seen.other.has(session));
  if (shared || seen.one.size > 1) return "transaction";
  return seen.one.has(greetedAs(one)) ? "none" : "session";
}

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid;
}

/** The driver keeps it to cancel statements with; its types do not say so. */
const greetedAs = (client: Client): number =>
  (client as Client & { readonly processID: number }).processID;
