import { type Observable, observable } from "./observable.ts";

/** Whether the service answers, and since when not. Instants are those of this browser. */
export interface Contact {
  /** When the service last answered; null: not yet. */
  readonly lastAnswerAt: number | null;
  /** The instant since which the service does not answer; null while it answers. */
  readonly lostSince: number | null;
  readonly reason: string | null;
  /** How far the clock of the service is ahead of this browser's, in milliseconds. */
  readonly clockAheadMs: number;
}

export interface ContactLog extends Observable<Contact> {
  answered(dateHeader: string | null): void;
  lost(reason: string): void;
}

/** Clocks that differ by less are as good as equal: the header has whole seconds. */
const tolerated = 2_000;

/** Notes each answer and each failure to get one: the banner and all ages are made of it. */
export function openContactLog(clock: () => number = Date.now): ContactLog {
  const state = observable<Contact>({
    lastAnswerAt: null,
    lostSince: null,
    reason: null,
    clockAheadMs: 0,
  });
  return {
    ...state,
    answered(dateHeader) {
      const now = clock();
      const ahead = dateHeader === null ? Number.NaN : Date.parse(dateHeader) + 500 - now;
      const before = state.get().clockAheadMs;
      const isNews = !Number.isNaN(ahead) && Math.abs(ahead - before) > tolerated;
      const clockAheadMs = isNews ? ahead : before;
      state.set({ lastAnswerAt: now, lostSince: null, reason: null, clockAheadMs });
    },
    lost(reason) {
      const { lostSince, ...rest } = state.get();
      state.set({ ...rest, lostSince: lostSince ?? clock(), reason });
    },
  };
}
