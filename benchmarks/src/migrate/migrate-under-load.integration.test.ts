import { queryOnce } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { fillStore } from "../flat/fill-store.ts";
import { claimByHand } from "./claim-by-hand.ts";
import { migrateUnderLoad } from "./migrate-under-load.ts";

/**
 * A migration in one transaction, with each lock when it is needed, as one of the engine's early
 * days was.
 */
const naive = `
  begin;
  create index naive on state.tasks (finished_at);
  drop trigger guard_task on state.tasks;
  rollback`;

test("the same load runs into deadlocks with a migration that takes its locks one after the other", async () => {
  await using database = await testDatabase();
  const { url } = database;
  await migrate(url);
  await fillStore(url, { pending: 100, finished: 10_000 });
  const claims = await claimByHand(url);
  let victims = 0;
  // Postgres ends one of the two. Now and then they do not meet.
  while (victims + claims.counts.deadlocks === 0) {
    await queryOnce(url, naive).catch(({ message }: Error) => {
      expect(message).toBe("deadlock detected");
      victims += 1;
    });
  }
  const { transactions } = await claims.stop();
  expect(transactions).toBeGreaterThan(0);
});

test("a store is migrated under load beside a long read, and no order waits for the reader", async () => {
  await using database = await testDatabase();
  // Without a lock timeout, no order is taken before the reader ends: it would read for a minute.
  const figures = await migrateUnderLoad({
    url: database.url,
    finished: 20_000,
    rate: 50,
    margin: 1_000,
    reader: 60_000,
    enough: 50,
    say: () => {},
  });
  expect(figures).toMatchObject({ failed: 0, reasons: [], lost: 0, deadlocks: 0 });
  expect(figures.transactions).toBeGreaterThan(0);
  expect(figures.migrations).toContain("9003_index_of_each_month");
  expect(figures.retries).toBeGreaterThan(0);
  expect(figures.besideReader).toBeGreaterThanOrEqual(50);
});
