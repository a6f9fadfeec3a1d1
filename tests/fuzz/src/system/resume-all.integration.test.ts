import { openStore, startSystem } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { resumeAll } from "./resume-all.ts";

test("after a run no remote service is left alone any more, neither by its breaker nor because it asked for it", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const count = { partners: 0, agent: 0, scheduler: 0, supervisor: 0, operations: 1 };
  await using system = await startSystem({
    stateStoreUrl: database.url,
    broker,
    apart: [],
    count,
  });
  await using store = await openStore({
    url: database.url,
    applicationName: "test",
    maxConnections: 1,
  });
  await store.throttleServices({
    throttles: [{ service: "payments", throttle: 60_000 }],
    actor: "test",
  });
  await store.holdBreakerOpen({ service: "shipping", actor: "test", reason: "test" });
  const heldBack = async () => {
    const breakers = await store.findBreakers();
    return breakers
      .filter(({ state, throttledFor }) => state !== "closed" || (throttledFor ?? 0) > 0)
      .map(({ service }) => service)
      .toSorted();
  };
  expect(await heldBack()).toEqual(["payments", "shipping"]);
  await resumeAll(system.operationsUrl, database.url);
  expect(await heldBack()).toEqual([]);
});
