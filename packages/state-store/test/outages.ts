import { openStateStore } from "../src/open-state-store.ts";
import type { StateStore } from "../src/roles.ts";
import { claimAll, completed, newTask, type TestStore } from "./fixtures.ts";

/** The fault of a store that cannot be reached or is overloaded. */
export const unavailable = { code: "store.unavailable", transient: true };

/** A store with the rights of the database's owner. */
export const openAsOwner = (url: string) =>
  openStateStore({ url, applicationName: "test", maxConnections: 8 });

export const submitWithKey = (store: StateStore, key: string) =>
  store.submitTasks([newTask({ idempotency: { key, hash: "h" } })], { actor: "test" });

/** The reply to the one step that is due. */
export async function claimAndReply(store: StateStore) {
  const [claim] = await claimAll(store);
  return { taskId: claim!.taskId, event: completed(claim!), output: {} };
}

/** Retries as a client does that gets a 503, until the store answers. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error as { readonly transient?: boolean }).transient) throw error;
    }
  }
}

export const countRows = async (db: TestStore, from: string): Promise<number> =>
  (await db.query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;

/** Ends all backends of this database but our own. Resolves to how many there were. */
export async function endAllBackends(db: TestStore): Promise<number> {
  const ended = await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return ended.length;
}
