import type { PoolClient } from "pg";

const waitsForStandby = "SyncRepWaitForLSN";
/** Clients whose last commit the synchronous standby did not confirm within `statement_timeout`. */
const unconfirmed = new WeakSet<object>();

/**
 * Postgres reports such a commit as done, and says in a notice of this routine that it is on this server only.
 */
export function watchReplication(client: PoolClient): void {
  client.on("notice", (notice) => {
    if (notice.routine === waitsForStandby) unconfirmed.add(client);
  });
}

/** Whether the last commit of a client is on its server only. Forgets it. */
export const takeUnconfirmedCommit = (client: PoolClient): boolean => unconfirmed.delete(client);
