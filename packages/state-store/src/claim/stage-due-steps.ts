import {
  type DueStep,
  type DueStepOfTask,
  definitionFormat,
  type Instant,
  type Milliseconds,
  virtualTime,
} from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { FoundStep } from "./due-index.ts";
import { rankFairSteps } from "./fairness.ts";

/** What staging found. */
export interface StagedSteps {
  /** The lanes in which steps were staged. */
  readonly lanes: readonly string[];
  /** Milliseconds until the next delay ends, and until the next request is to be resent. */
  readonly nextIn: Milliseconds | null;
  readonly resendIn: Milliseconds | null;
  /** Whether there are steps to claim. */
  readonly hasDue: boolean;
  /** Whether the outbox holds notifications, and whether pauses of workflows are to be applied. */
  readonly hasNotifications: boolean;
  readonly hasPauses: boolean;
  /** Whether the steps of some remote service are held back. */
  readonly hasBreakers: boolean;
}

interface Row extends Omit<StagedSteps, "lanes" | "hasDue"> {
  readonly due: readonly FoundStep[];
  readonly promoted: readonly DueStep[];
  /** Steps whose delay is over, and which their fairness key ranks. */
  readonly fair: readonly Pick<DueStepOfTask, "taskId" | "name">[];
  /** Whether there may be more steps whose delay is over. */
  readonly isFull: boolean;
  /** How many index entries of steps this connection had read before, and after. */
  readonly readBefore: number;
  readonly readAfter: number;
  readonly now: Instant;
  readonly took: Milliseconds;
}

const stage = queryAmong("stage-due-steps", rowsOf<Row>());

/**
 * Makes steps claimable whose delay is over; returns when to call again at the latest. If a full
 * scan is due, scans all due steps as well and updates the due index; if it finds some with a
 * fairness key, closes the gaps in their order.
 */
export const stageDueSteps = repeatable(async (db, _: void, context): Promise<StagedSteps> => {
  const { dueIndex, dueWindow, partitions } = context;
  const since = dueWindow.since();
  const [row] = await stage(db, partitions.range(), { since, format: definitionFormat });
  const { due: found, promoted, fair, isFull, readBefore, readAfter, now, took, ...rest } = row!;
  if (since === Number.NEGATIVE_INFINITY) {
    dueIndex.looked(found, dueWindow.saw({ passed: readAfter - readBefore, took, now }));
  }
  const ranked = fair.length === 0 ? [] : await rankFairSteps({ partitions })(db, fair);
  const staged = [...promoted, ...ranked];
  const moved = found.some(({ rank }) => rank >= virtualTime) ? await context.fairnessGaps(db) : [];
  dueIndex.add([...staged, ...moved], now);
  const lanes = [...new Set(staged.map(({ lane }) => lane))];
  const nextIn = isFull ? 0 : rest.nextIn;
  return { ...rest, nextIn, lanes, hasDue: found.length > 0 };
});
