import type { Clock } from "@holdfast/runtime";

interface Options {
  /** How many calls are made at a time. */
  readonly concurrency: number;
  readonly clock: Pick<Clock, "now">;
}

/**
 * How long the work of one message may take all of us together, in milliseconds. What is in one
 * message cannot be shared with other instances: with long calls, each goes by itself.
 */
const workOfMessage = 1;
const most = 50;

/** Slower calls are heard at once, quicker ones have to last. */
const weight = { slower: 0.5, quicker: 0.02 };

/** Finds out how many requests are worth having in one message. */
export function pace({ concurrency, clock }: Options) {
  /** Milliseconds of a call; nothing is known at first, so each comes by itself. */
  let typical: number | null = null;

  return {
    /** A call begins; the answer is to be called when it has come to a good end. */
    begin(): () => void {
      const begunAt = clock.now();
      return () => {
        const took = clock.now() - begunAt;
        typical ??= took;
        typical += (took > typical ? weight.slower : weight.quicker) * (took - typical);
      };
    },
    inOneMessage(): number {
      if (typical === null) return 1;
      const done = (concurrency * workOfMessage) / typical;
      return Math.max(1, Math.min(most, Math.floor(done)));
    },
  };
}
