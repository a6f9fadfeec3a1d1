import { testDatabase } from "@holdfast/local-stack";
import { expect, test } from "@jest/globals";
import { migrateUnderLoad } from "./migrate-under-load.ts";

test("a store is migrated while orders come in and somebody reads, and no order waits for the reader", async () => {
  await using database = await testDatabase();
  const figures = await migrateUnderLoad({
    url: database.url,
    from: "0007_verify",
    finished: 20_000,
    rate: 200,
    margin: 1_000,
    reader: 5_000,
    say: () => {},
  });
  expect(figures).toMatchObject({ failed: 0, lost: 0 });
  expect(figures.migrations).toContain("0012_tasks_by_month");
  // The reader was in the way.
  expect(figures.retries).toBeGreaterThan(0);
  // On an idle machine it is 100 ms; without a lock timeout it is as long as the reader reads.
  expect(figures.slowestDuringMs).toBeLessThan(3_000);
});
