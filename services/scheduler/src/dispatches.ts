import type { Clock } from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";
import { replyTimes } from "./reply-times.ts";

/** One request on its way, from the publish until its reply or its mark. */
interface Dispatch {
  readonly claim: ClaimedStep;
  /** When its claim was begun. */
  readonly claimedAt: number;
  /**
   * When to mark it: halfway to the relay, so that most replies come first and no mark is needed; and to its
   * own limit, past which what is silent and not marked would count as never sent.
   */
  readonly markAt: number;
  isConfirmed: boolean;
}

/** Milliseconds between two looks at what is to be marked, while there is anything. */
const lookEvery = 100;

/** Of how many requests the slowest is looked at. */
const sample = 200;
const relayBounds = { shortest: 600, longest: 3_000 };
/** Replies that usually take longer come after the mark however late that is. */
const longestAwaited = relayBounds.longest / 2;

/** The requests of this instance that are not yet marked. Nothing is lost with it: see the relay. */
export function dispatches(clock: Pick<Clock, "now" | "after">) {
  const open = new Map<string, Dispatch>();
  let look: (() => void) | null = null;
  let isLooking = false;

  const lookSoon = (): void => {
    if (isLooking || look === null) return;
    isLooking = true;
    clock.after(lookEvery, () => {
      isLooking = false;
      look?.();
    });
  };

  /** From the claim to the confirm. */
  const times: number[] = [];
  const replies = replyTimes(clock, relayBounds.longest);

  /**
   * After how many milliseconds a request counts as lost between claim and publish: well after our own
   * slowest, or everything would be published twice where the broker is busy or the store far away; and
   * well after the usual reply, or most requests would have to be marked before that.
   */
  const relayAfter = (): number => {
    const usual = replies.usual();
    const slowest = Math.max(0, usual <= longestAwaited ? usual : 0, ...times);
    return Math.min(relayBounds.longest, Math.max(relayBounds.shortest, 4 * slowest));
  };

  return {
    relayAfter,
    publishing(claim: ClaimedStep, claimedAt: number): void {
      const key = keyOf(claim);
      const markAt = claimedAt + Math.min(relayAfter(), claim.completeBy - claim.now) / 2;
      open.set(key, { claim, claimedAt, markAt, isConfirmed: false });
      replies.awaited(key, claimedAt);
    },
    /** Has `act` called when there may be something to mark. */
    whenToMark(act: () => void): void {
      look = act;
    },
    confirmed(claim: ClaimedStep): void {
      const dispatch = open.get(keyOf(claim));
      if (dispatch === undefined) return;
      dispatch.isConfirmed = true;
      lookSoon();
      times.push(clock.now() - dispatch.claimedAt);
      if (times.length > sample) times.shift();
    },
    /** It is not on its way. */
    failed(claim: ClaimedStep): void {
      open.delete(keyOf(claim));
      replies.failed(keyOf(claim));
    },
    answered(claim: Pick<ClaimedStep, "taskId" | "name" | "attempt">): void {
      open.delete(keyOf(claim));
      replies.answered(keyOf(claim));
    },
    /** Nothing speaks for any of them being on its way. */
    forget(): void {
      for (const key of open.keys()) replies.failed(key);
      open.clear();
    },
    marked: (claim: ClaimedStep) => open.delete(keyOf(claim)),
    isOpen: (claim: ClaimedStep) => open.has(keyOf(claim)),
    /** Confirmed, and still no reply when there should be one. */
    unmarked(): readonly ClaimedStep[] {
      const now = clock.now();
      const confirmed = [...open.values()].filter(({ isConfirmed }) => isConfirmed);
      const due = confirmed.filter(({ markAt }) => markAt <= now);
      if (due.length < confirmed.length) lookSoon();
      return due.map(({ claim }) => claim);
    },
  };
}

const keyOf = ({ taskId, name, attempt }: Pick<ClaimedStep, "taskId" | "name" | "attempt">) =>
  `${taskId} ${name} ${attempt}`;

export type Dispatches = ReturnType<typeof dispatches>;
