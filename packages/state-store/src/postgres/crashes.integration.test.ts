import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalStack, queryOnce, startLocalStack } from "@holdfast/local-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { openPool } from "./pool.ts";
import { inTransaction } from "./transaction.ts";

let dataFolder: string;
let servers: LocalStack;
let pool: Pool;
beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "holdfast-crashes-"));
  servers = await startLocalStack({ purpose: "demo", dataFolder });
  const { url } = servers.postgres;
  await queryOnce(url, "create table notes (note text); create table others (n integer)");
  pool = openPool({ url, applicationName: "test", maxConnections: 2 });
});
afterAll(async () => {
  await pool.end();
  await servers[Symbol.asyncDispose]();
  await rm(dataFolder, { recursive: true });
});

/** Another client, whose transactions take the ids that come next. */
const commitOthers = (count: number) =>
  queryOnce(
    servers.postgres.url,
    `do $$ begin for n in 1..${count} loop insert into public.others values (n); commit; end loop; end $$`,
  );

/** Writes a note, and ends when its server has crashed before it could be committed. */
const writeNote = (note: string, crash: () => Promise<void>) =>
  inTransaction(pool, async (client) => {
    await client.query({
      name: note,
      text: "insert into public.notes values ($1)",
      values: [note],
      rowMode: "array",
    });
    await crash();
    return { sent: [], result: () => note };
  });

/**
 * The server takes it that shared memory may be spoilt, and starts anew from what is in its log.
 */
async function killLogWriter(): Promise<void> {
  const { url } = servers.postgres;
  const writer = "select pid from pg_stat_activity where backend_type = 'walwriter'";
  const [before] = await queryOnce<{ pid: number }>(url, writer);
  await queryOnce(url, `copy (select 1) to program 'kill -9 ${before?.pid}'`).catch(() => {});
  for (let pid = before?.pid; pid === undefined || pid === before?.pid; ) {
    await sleep(20);
    pid = await queryOnce<{ pid: number }>(url, writer).then(
      ([now]) => now?.pid,
      () => undefined,
    );
  }
}

const notes = () => queryOnce(servers.postgres.url, "select note from notes");

test("a lost commit does not count as committed if another transaction got its id", async () => {
  const writing = writeNote("lost", async () => {
    await servers.postgres.restart("immediate");
    await commitOthers(50);
  });
  await expect(writing).rejects.toMatchObject({ code: "store.outcome_unknown", transient: true });
  expect(await notes()).toEqual([]);
});

test("a lost commit does not count as committed after a crash under the same postmaster", async () => {
  const writing = writeNote("lost", async () => {
    await killLogWriter();
    await commitOthers(50);
  });
  await expect(writing).rejects.toMatchObject({ code: "store.outcome_unknown", transient: true });
  expect(await notes()).toEqual([]);
});

test("a transaction whose id was not assigned again was not committed: it can be repeated", async () => {
  const writing = writeNote("forgotten", () => servers.postgres.restart("immediate"));
  await expect(writing).rejects.toMatchObject({ code: "store.unavailable", transient: true });
  expect(await notes()).toEqual([]);
});
