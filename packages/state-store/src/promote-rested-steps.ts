import { definitionFormat, type Instant, type Milliseconds } from "@holdfast/domain";
import type { BusyMonths } from "./busy-months.ts";
import type { DueSpans, DueStep, FoundStep } from "./due-spans.ts";
import type { Looks } from "./looks.ts";
import { type Database, queryAmong } from "./query.ts";

/** What there is to do. */
export interface Rested {
  /** Those that have something to do now. */
  readonly lanes: readonly string[];
  /** Milliseconds until the next step has rested, and until the next request counts as lost. */
  readonly nextIn: Milliseconds | null;
  readonly relayIn: Milliseconds | null;
  /** Whether there are steps to claim. */
  readonly hasDue: boolean;
  /** Whether the outbox, or a pause of a workflow, wants to be looked after. */
  readonly hasNotices: boolean;
  readonly hasPauses: boolean;
}

interface Row extends Omit<Rested, "lanes" | "hasDue"> {
  readonly due: readonly FoundStep[];
  readonly promoted: readonly DueStep[];
  /** Entries of the indexes of steps that this connection had read, and has read now. */
  readonly readBefore: number;
  readonly readAfter: number;
  readonly now: Instant;
  readonly took: Milliseconds;
}

const promote = queryAmong<{ since: Instant; format: number }, Row>("promote-rested-steps");

interface Searched {
  readonly due: DueSpans;
  readonly busy: BusyMonths;
  readonly looks: Looks;
}

/** Promotes; when it is time for it, looks at all that is due as well, and tells the claims where that is. */
export const promoteRestedSteps =
  ({ due, busy, looks }: Searched) =>
  async (db: Database): Promise<Rested> => {
    const since = looks.since();
    const [row] = await promote(db, busy.range(), { since, format: definitionFormat });
    const { due: found, promoted, readBefore, readAfter, now, took, ...rest } = row!;
    if (since === Number.NEGATIVE_INFINITY) {
      due.looked(found, looks.saw({ passed: readAfter - readBefore, took, now }));
    }
    due.add(promoted, now);
    const lanes = [...new Set(promoted.map(({ lane }) => lane))];
    return { ...rest, lanes, hasDue: found.length > 0 };
  };
