import type { OutgoingMessage } from "@holdfast/messaging";
import { type BatchSizeEstimator, batchSizeEstimator } from "./batch-size-estimator.ts";

/**
 * Several requests in one message, and several replies in one: an optimisation, and all that an Agent
 * has to do with it. Everything works the same, only slower, with `noBatching` (decision 0031).
 */
export interface Batching extends BatchSizeEstimator {
  /** What lets a reply share a message with others that have the same key. */
  replyBundle(key: string): Pick<OutgoingMessage, "bundle">;
}

/** How many replies share a message: no more than a Scheduler takes into one batch. */
const maxReplies = 100;

/** Lets messages carry as many requests and replies as fit the duration of recent calls. */
export const batchingBy = (options: Parameters<typeof batchSizeEstimator>[0]): Batching => ({
  ...batchSizeEstimator(options),
  replyBundle: (key) => ({ bundle: { key, most: maxReplies } }),
});

const ignore = (): void => {};

/** One request a message, one reply a message. */
export const noBatching: Batching = {
  begin: () => ignore,
  maxBatch: () => 1,
  replyBundle: () => ({}),
};
