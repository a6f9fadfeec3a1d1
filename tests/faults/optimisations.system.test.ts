import type { SampleKind } from "@holdfast/orders";
import { optimisationNames } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem } from "./faulty-system.ts";

const env = { HOLDFAST_WITHOUT: optimisationNames.join(",") };

test("without any optimisation, with two of each service, every order ends as it should", async () => {
  await using faulty = await startFaultySystem({
    count: { scheduler: 2, agent: 2, supervisor: 2 },
    env: { scheduler: env, agent: env, supervisor: env },
  });
  const kinds: readonly SampleKind[] = ["good", "declined", "good", "flaky"];
  const ids = await faulty.submit(kinds);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 3, undone: 1 }));
});
