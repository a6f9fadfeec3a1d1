import { migrateWithStoreClock } from "@holdfast/processes";
import { testBroker, testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

test("when the store's clock jumps ahead and back, by seconds, hours and days, all orders end right, and none is undone", async () => {
  await using database = await testDatabase();
  await using broker = await testBroker();
  const clock = await migrateWithStoreClock(database.url);
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: database.url, broker },
    limits: { startWithin: 2_000, completeWithin: 2_000 },
  });
  const ids: string[] = [];
  const claimsOf = (tasks: readonly string[]) =>
    faulty.query(
      `select 1 from state.events
        where action = 'claim' and task_id in (${tasks.map((id) => `'${id}'`).join()})`,
    );
  // Of these orders alone: those before may have ended, or not, when these are submitted.
  const submitAndSee = async (): Promise<void> => {
    const submitted = await faulty.submit(["good", "flaky", "good", "unshippable"]);
    ids.push(...submitted);
    await until(async () => (await claimsOf(submitted)).length > 2);
  };
  for (const ms of [5 * second, -5 * second, 3 * hour, -3 * hour, 40 * day, -40 * day]) {
    await submitAndSee();
    await clock.set(ms);
    await submitAndSee();
    await clock.set(0);
  }
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 36, undone: 12 }));
});
