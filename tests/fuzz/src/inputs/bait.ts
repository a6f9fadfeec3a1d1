/** The Agent that the fuzzer itself is. */
export const baitAgent = "bait";

/**
 * Short, so that an attempt that is never answered is soon taken back; not so short that a busy
 * fuzzer begins none.
 */
export const baitPolicy = {
  startWithin: 3_000,
  completeWithin: 1_000,
  retry: { failures: 3, backoff: 100, max: 500 },
  coolDown: null,
  onFailure: "undo",
} as const;
