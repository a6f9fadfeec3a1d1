import type { OutgoingMessage } from "@holdfast/messaging";
import { type BundleSizeEstimator, bundleSizeEstimator } from "./bundle-size-estimator.ts";

/**
 * Several requests in one message, and several replies in one: an optimisation, and all that an
 * Agent has to do with it. Everything works the same, only slower, with `noBundling` (decision
 * 0031).
 */
export interface Bundling extends BundleSizeEstimator {
  /** What lets a reply share a message with others that have the same key. */
  replyBundle(key: string): Pick<OutgoingMessage, "bundle">;
}

/** How many replies share a message: no more than a Scheduler records in one batch. */
const maxReplies = 100;

/** Lets messages carry as many requests and replies as fit the duration of recent calls. */
export const bundlingBy = (options: Parameters<typeof bundleSizeEstimator>[0]): Bundling => ({
  ...bundleSizeEstimator(options),
  replyBundle: (key) => ({ bundle: { key, most: maxReplies } }),
});

const ignore = (): void => {};

/** One request in a message, and one reply. */
export const noBundling: Bundling = {
  begin: () => ignore,
  bundleSize: () => 1,
  replyBundle: () => ({}),
};
