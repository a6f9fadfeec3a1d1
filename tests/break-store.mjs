import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, expect } from "@jest/globals";

/**
 * The integration tests once more, with a store that breaks at two statements of a hundred. With
 * this seed the very first one of each pool is lost, and the answer to the fifth.
 */
process.env.HOLDFAST_STORE_FAULTS = "1%@7818";

let faults = 0;
const count = () => {
  faults += 1;
};
subscribe("holdfast.injected-faults", count);

afterAll(() => {
  unsubscribe("holdfast.injected-faults", count);
  expect(faults).toBeGreaterThan(0);
});
