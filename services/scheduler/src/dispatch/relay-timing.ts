import type { Clock } from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";
import { replyTimes } from "./reply-times.ts";

/** Requests of which the slowest counts. */
const sample = 200;
const relayBounds = { shortest: 600, longest: 3_000 };
/** Replies that usually take longer come after the mark however late that is. */
const longestAwaited = relayBounds.longest / 2;

interface Options {
  /** Whether a mark waits for the reply; otherwise it follows the publisher confirm. */
  readonly lateMarks?: boolean;
}

/**
 * When a request counts as lost and is relayed, and when it has to be marked as dispatched before that. Late
 * marks: most replies come before the mark is due, and save it.
 */
export function relayTiming(clock: Pick<Clock, "now">, { lateMarks = true }: Options = {}) {
  /** Milliseconds from the claim to the publisher confirm. */
  const times: number[] = [];
  let slowestConfirm = 0;
  const replies = replyTimes(clock, relayBounds.longest);

  /**
   * Milliseconds after which a request counts as lost between claim and publish: well after our own slowest, or a
   * busy broker or a distant store would have every request published twice; and well after the usual reply, or most
   * requests would have to be marked before it.
   */
  const relayAfter = (): number => {
    const usual = replies.usual();
    const slowest = Math.max(slowestConfirm, usual <= longestAwaited ? usual : 0);
    return Math.min(relayBounds.longest, Math.max(relayBounds.shortest, 4 * slowest));
  };

  return {
    relayAfter,
    replies,
    confirmed(claimedAt: number): void {
      const taken = clock.now() - claimedAt;
      times.push(taken);
      const gone = times.length > sample ? times.shift() : undefined;
      slowestConfirm =
        gone === slowestConfirm ? Math.max(...times) : Math.max(slowestConfirm, taken);
    },
    /**
     * Halfway to the relay, so that most replies come first; and halfway to the step's own limit, past which a
     * silent step without a mark would count as never sent.
     */
    markAt: (claim: Pick<ClaimedStep, "completeBy" | "now">, claimedAt: number): number =>
      lateMarks ? claimedAt + Math.min(relayAfter(), claim.completeBy - claim.now) / 2 : claimedAt,
  };
}
