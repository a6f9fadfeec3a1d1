import { queryOnce } from "@holdfast/local-stack";

/**
 * Files as large together as what the server writes, at its `max_wal_size`, before it uses one
 * again. Each has 16 MiB.
 */
const files = 250;

/**
 * Makes the files of the WAL, which the server uses again and again from then on. A new one makes
 * them as it goes, and each transaction that writes waits for it: 50 ms of a disk's time here,
 * which would be taken for the time of a claim.
 */
export async function makeWalFiles(url: string): Promise<void> {
  const set = async (setting: string): Promise<void> => {
    await queryOnce(url, `alter system ${setting}`);
    await queryOnce(url, "select pg_reload_conf()");
  };
  await set("set min_wal_size = '4GB'");
  // No checkpoint meanwhile: it would have the first files used again before the last are made.
  await set("set checkpoint_completion_target = 0");
  await queryOnce(
    url,
    `do $$ begin
       for nth in 1..${files} loop
         perform pg_logical_emit_message(false, 'bench', '');
         perform pg_switch_wal();
       end loop;
     end $$`,
  );
  await set("reset checkpoint_completion_target");
  await queryOnce(url, "checkpoint");
}
