import { expect, test } from "@jest/globals";
import { facts, lane } from "../../test/task-facts.ts";
import { explain } from "./explain.ts";
import type { Facts } from "./facts.ts";

test.each<readonly [string, Partial<Facts>]>([
  [
    "The Agent payments has its full 20 steps in flight (MAX_IN_FLIGHT is 10 for each of 2 Schedulers)",
    { lanes: [{ ...lane, inFlight: 20 }], inFlightLimits: [10, 10] },
  ],
  [
    "with 19 of its Agent in flight",
    { lanes: [{ ...lane, inFlight: 19 }], inFlightLimits: [10, 10] },
  ],
  [
    "The Agent payments has its full 40 steps in flight (the Schedulers have a MAX_IN_FLIGHT of 10, 30)",
    { lanes: [{ ...lane, inFlight: 40 }], inFlightLimits: [10, 30] },
  ],
  [
    "The Agent payments has its full 400 steps in flight (MAX_IN_FLIGHT is 200 for each of 2 Schedulers, unless it is set: no Scheduler has announced its own)",
    { lanes: [{ ...lane, inFlight: 400 }], inFlightLimits: [] },
  ],
])("a step waits for the inFlightLimits that the Schedulers have announced: %s", (text, task) => {
  expect(explain({ ...facts, ...task }).sentence).toContain(text);
});
