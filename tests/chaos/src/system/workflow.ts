import { fulfilOrder } from "@holdfast/orders";
import { withLimits } from "@holdfast/processes";

/** Milliseconds. Longer than a broker that has just come back takes to confirm. */
const startWithin = 5_000;
/** Milliseconds. */
const completeWithin = 2_000;

/**
 * A threshold so high that no fault which we inject turns an order around that could be fulfilled.
 */
export const failureThreshold = 30;

/**
 * The reference order, with limits that are short enough to wait for and policies that never give
 * up.
 */
export const chaosWorkflow = {
  ...withLimits(fulfilOrder.definition, {
    name: "fulfil-order-in-chaos.v1",
    limits: {
      startWithin,
      completeWithin,
      retry: { failures: failureThreshold, backoff: 200, max: 1_000 },
    },
  }),
  collection: "orders",
};
