import { setTimeout as sleep } from "node:timers/promises";
import { Client, type DatabaseError } from "pg";

const connections = 4;
const deadlock = "40P01";

/** Locks up to five tasks as a release does that knows none of the newer columns. */
const lock = `select task_id from state.tasks
  where finished_at is null order by updated_at limit 5 for no key update skip locked`;
const save = `update state.tasks set version = version + 1, updated_at = clock_timestamp()
  where task_id = any($1::uuid[])`;

/**
 * Has some Schedulers of an earlier release decide about tasks: each transaction locks rows, asks
 * again, and only then writes. In between it holds a ROW SHARE lock and is about to want ROW
 * EXCLUSIVE, so a migration that holds SHARE by then and wants ACCESS EXCLUSIVE waits for it in a
 * circle.
 */
export async function claimByHand(url: string) {
  const counts = { transactions: 0, deadlocks: 0 };
  const stop = new AbortController();
  const run = async (client: Client): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await client.query("begin");
        const { rows } = await client.query<{ task_id: string }>(lock);
        await client.query(save, [rows.map(({ task_id: id }) => id)]);
        await client.query("commit");
        counts.transactions += 1;
      } catch (error) {
        // A migration may have the tables just then; it is done again.
        if ((error as DatabaseError).code === deadlock) counts.deadlocks += 1;
        await client.query("rollback");
      }
      await sleep(5);
    }
    await client.end();
  };
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client({ connectionString: url, application_name: "earlier release" });
      await client.connect();
      return client;
    }),
  );
  const loops = clients.map(run);
  return {
    counts: counts as Readonly<typeof counts>,
    async stop(): Promise<Readonly<typeof counts>> {
      stop.abort();
      await Promise.all(loops);
      return counts;
    },
  };
}
