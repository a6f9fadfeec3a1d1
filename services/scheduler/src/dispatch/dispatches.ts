import type { Clock } from "@holdfast/runtime";
import type { AttemptKey, ClaimedStep } from "@holdfast/state-store";
import { relayTiming } from "./relay-timing.ts";

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

/** Milliseconds between two looks for requests to mark, while any is unmarked. */
const lookEvery = 100;

interface Dependencies {
  readonly clock: Pick<Clock, "now" | "after">;
  /** Called when a request may be due to be marked. */
  readonly onMarkDue: () => void;
  /** Takes how long the broker took to confirm a request, in milliseconds. */
  readonly onConfirm?: (took: number) => void;
  /** Whether marks wait for replies; on unless a benchmark turns it off. */
  readonly lateMarks?: boolean;
}

/**
 * The requests that this instance is building, and those that it has published and not yet marked. The relay covers
 * their loss.
 */
export function dispatches({ clock, onMarkDue, onConfirm, ...options }: Dependencies) {
  const building = new Map<string, ClaimedStep>();
  const open = new Map<string, Dispatch>();
  const timing = relayTiming(clock, options);
  const lookSoon = soon(clock, onMarkDue);

  return {
    relayAfter: timing.relayAfter,
    building(claims: readonly ClaimedStep[]): void {
      for (const claim of claims) building.set(keyOf(claim), claim);
    },
    /** Each of them was published or refused, or its dispatch has failed. */
    built(claims: readonly ClaimedStep[]): void {
      for (const claim of claims) building.delete(keyOf(claim));
    },
    publishing(claim: ClaimedStep, claimedAt: number): void {
      const key = keyOf(claim);
      const markAt = timing.markAt(claim, claimedAt);
      open.set(key, { claim, claimedAt, publishedAt: clock.now(), markAt, isConfirmed: false });
      timing.replies.awaited(key, claimedAt);
    },
    confirmed(claim: ClaimedStep): void {
      const dispatch = open.get(keyOf(claim));
      if (dispatch === undefined) return;
      dispatch.isConfirmed = true;
      lookSoon();
      timing.confirmed(dispatch.claimedAt);
      onConfirm?.(clock.now() - dispatch.publishedAt);
    },
    /** The publish failed. */
    failed(claim: ClaimedStep): void {
      open.delete(keyOf(claim));
      timing.replies.failed(keyOf(claim));
    },
    answered(claim: AttemptKey): void {
      open.delete(keyOf(claim));
      timing.replies.answered(keyOf(claim));
    },
    /** The broker may have lost all of them. */
    forget(): void {
      for (const key of open.keys()) timing.replies.failed(key);
      open.clear();
    },
    marked: (claim: ClaimedStep) => open.delete(keyOf(claim)),
    /** All of them: none is lost as long as this instance lives. */
    held: (): readonly ClaimedStep[] => [
      ...building.values(),
      ...Array.from(open.values(), ({ claim }) => claim),
    ],
    /** Confirmed requests whose mark is due. */
    unmarked(): readonly ClaimedStep[] {
      const now = clock.now();
      const confirmed = [...open.values()].filter(({ isConfirmed }) => isConfirmed);
      const due = confirmed.filter(({ markAt }) => markAt <= now);
      if (due.length < confirmed.length) lookSoon();
      return due.map(({ claim }) => claim);
    },
  };
}

/** Calls once `lookEvery` later, however often it is asked until then. */
function soon(clock: Pick<Clock, "after">, call: () => void): () => void {
  let isAwaited = false;
  return () => {
    if (isAwaited) return;
    isAwaited = true;
    clock.after(lookEvery, () => {
      isAwaited = false;
      call();
    });
  };
}

const keyOf = ({ taskId, name, attempt }: AttemptKey) => `${taskId} ${name} ${attempt}`;

export type Dispatches = ReturnType<typeof dispatches>;
