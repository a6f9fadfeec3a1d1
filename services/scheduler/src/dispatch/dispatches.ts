import type { Clock } from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";
import { replyTimes } from "./reply-times.ts";

/** A published request, until its reply or its mark. */
interface Dispatch {
  readonly claim: ClaimedStep;
  /** When its claim began. */
  readonly claimedAt: number;
  readonly publishedAt: number;
  /** When to mark it. */
  readonly markAt: number;
  isConfirmed: boolean;
}

type Attempt = Pick<ClaimedStep, "token">;

/** Milliseconds between two looks for requests to mark, while any is unmarked. */
const lookEvery = 100;
/** Milliseconds between two looks at how long the broker has not confirmed a request, while any waits for that. */
const watchEvery = 300;

interface Dependencies {
  readonly clock: Pick<Clock, "now" | "after">;
  /** Called when a request may be due to be marked. */
  readonly onMarkDue: () => void;
  /** Takes how long the broker took to confirm a request, or has not confirmed the oldest one so far, in milliseconds. */
  readonly onConfirm?: (took: number) => void;
  /** Whether marks wait for replies; on unless a benchmark turns it off. */
  readonly lateMarks?: boolean;
}

/**
 * The requests that this instance is building, and those that it has published and not yet marked. The relay covers
 * their loss.
 */
export function dispatches({ clock, onMarkDue, onConfirm, ...options }: Dependencies) {
  const building = new Set<ClaimedStep>();
  /** Open dispatches by the token of the attempt. */
  const open = new Map<string, Dispatch>();
  const timing = relayTiming(clock, options);
  const lookSoon = soon(clock, lookEvery, onMarkDue);
  const watchSoon = confirmWatch(clock, open, onConfirm);

  return {
    relayAfter: timing.relayAfter,
    building(claims: readonly ClaimedStep[]): void {
      for (const claim of claims) building.add(claim);
    },
    /** Each of them was published or refused, or its dispatch has failed. */
    built(claims: readonly ClaimedStep[]): void {
      for (const claim of claims) building.delete(claim);
    },
    publishing(claim: ClaimedStep, claimedAt: number): void {
      const [markAt, publishedAt] = [timing.markAt(claim, claimedAt), clock.now()];
      open.set(claim.token, { claim, claimedAt, publishedAt, markAt, isConfirmed: false });
      timing.replies.awaited(claim.token, claimedAt);
      watchSoon();
    },
    confirmed({ token }: Attempt): void {
      const dispatch = open.get(token);
      if (dispatch === undefined) return;
      dispatch.isConfirmed = true;
      lookSoon();
      timing.confirmed(dispatch.claimedAt);
      onConfirm?.(clock.now() - dispatch.publishedAt);
    },
    /** The publish failed. */
    failed({ token }: Attempt): void {
      open.delete(token);
      timing.replies.failed(token);
    },
    answered({ token }: Attempt): void {
      open.delete(token);
      timing.replies.answered(token);
    },
    /** The broker may have lost all of them. */
    forget(): void {
      for (const token of open.keys()) timing.replies.failed(token);
      open.clear();
    },
    marked: ({ token }: Attempt) => open.delete(token),
    /** All of them: none is lost as long as this instance lives. */
    held: (): readonly ClaimedStep[] => [
      ...building,
      ...Array.from(open.values(), ({ claim }) => claim),
    ],
    /** Confirmed requests whose mark is due. */
    unmarked(): readonly ClaimedStep[] {
      const confirmed = [...open.values()].filter(({ isConfirmed }) => isConfirmed);
      const due = confirmed.filter(({ markAt }) => markAt <= clock.now());
      if (due.length < confirmed.length) lookSoon();
      return due.map(({ claim }) => claim);
    },
  };
}

/**
 * Reports for how long the oldest request is not confirmed, while one is not: a process that is killed in an outage has
 * said so before, which is all that is known of the outage afterwards. Begins when it is called, if it has not begun.
 */
function confirmWatch(
  clock: Dependencies["clock"],
  open: ReadonlyMap<string, Dispatch>,
  onConfirm: Dependencies["onConfirm"],
): () => void {
  const watch = soon(clock, watchEvery, () => {
    const waiting = [...open.values()].filter(({ isConfirmed }) => !isConfirmed);
    if (waiting.length === 0) return;
    onConfirm?.(clock.now() - Math.min(...waiting.map(({ publishedAt }) => publishedAt)));
    watch();
  });
  return watch;
}

/** Calls once so many milliseconds later, however often it is asked until then. */
function soon(clock: Pick<Clock, "after">, later: number, call: () => void): () => void {
  let isAwaited = false;
  return () => {
    if (isAwaited) return;
    isAwaited = true;
    clock.after(later, () => {
      isAwaited = false;
      call();
    });
  };
}

export type Dispatches = ReturnType<typeof dispatches>;

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
function relayTiming(clock: Pick<Clock, "now">, { lateMarks = true }: Options = {}) {
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
