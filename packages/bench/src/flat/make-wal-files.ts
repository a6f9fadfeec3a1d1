import { queryOnce } from "@holdfast/local-stack";

/** As much as the server keeps between two checkpoints, in files of 16 MiB. */
const files = 256;

/**
 * Makes the files of the WAL, which the server uses again and again from then on. A new one makes them as
 * it goes, and whoever writes waits for each: 50 ms of a disk's time here, which would be taken for the
 * time of a claim.
 */
export async function makeWalFiles(url: string): Promise<void> {
  await queryOnce(url, `alter system set min_wal_size = '${files * 16}MB'`);
  await queryOnce(url, "select pg_reload_conf()");
  await queryOnce(
    url,
    `do $$ begin
       for nth in 1..${files} loop
         perform pg_logical_emit_message(false, 'bench', '');
         perform pg_switch_wal();
       end loop;
     end $$`,
  );
  await queryOnce(url, "checkpoint");
}
