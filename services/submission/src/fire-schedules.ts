import type { Instant, Milliseconds } from "@holdfast/domain";
import {
  type Clock,
  type Failpoint,
  type Logger,
  type Metrics,
  noMetrics,
} from "@holdfast/runtime";
import type { SubmissionStore } from "@holdfast/state-store";
import { scheduleMetrics } from "./schedule-metrics.ts";

interface ScheduleDependencies {
  readonly store: Pick<SubmissionStore, "fireSchedules">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  /** What became of instants is counted there; nowhere unless given. */
  readonly metrics?: Pick<Metrics, "counter">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** Has tasks made of what is in the inbox now. */
  readonly onFired: () => void;
}

/** Schedules that are looked at in one transaction. */
const most = 200;
/** The longest time between two looks: another process may have stored a schedule. */
const longestRest: Milliseconds = 5_000;
/** How far the store's clock may be ahead of what it must say. */
const longestJump: Milliseconds = 60_000;
/** How long a clock that has jumped is not believed. */
const doubtFor: Milliseconds = 900_000;

/**
 * Fires schedules whose time has come by the store's clock, and resolves to the milliseconds until
 * the next look. Where that clock is far ahead of what it must be by the clock of this process, it
 * has jumped, and is not believed for a quarter of an hour: then it is set back, or it is right.
 */
export function fireSchedules(deps: ScheduleDependencies) {
  const { store, clock, log, failpoint, actor, onFired, metrics = noMetrics } = deps;
  const count = metrics.counter(scheduleMetrics.fires);
  /** What the store's clock said when it was last believed. */
  let believed: { readonly now: Instant; readonly at: Milliseconds } | null = null;
  /** When it was first not believed; null: it is. */
  let doubtedAt: Milliseconds | null = null;
  let checksRules = true;
  const believe = (now: Instant): void => {
    believed = { now, at: clock.now() };
    doubtedAt = null;
  };
  return async (): Promise<Milliseconds> => {
    const latest = believed === null ? null : believed.now + (clock.now() - believed.at);
    failpoint("submission.firing");
    const found = await store.fireSchedules({ actor, most, latest, checksRules });
    const { fires, troubles, nextIn, isFull, now } = found;
    if (fires.length > 0) failpoint("submission.fired");
    checksRules = checksRules && isFull;
    if (latest === null || now <= latest + longestJump) believe(now);
    else if (doubtedAt === null) {
      doubtedAt = clock.now();
      log.error({ clock: now, expected: latest }, "store clock jumped ahead: schedules wait");
    } else if (clock.now() - doubtedAt > doubtFor) believe(now);
    for (const { schedule, instant, outcome, taskId } of fires) {
      count(1, outcome);
      log.info({ schedule, instant: new Date(instant).toISOString(), outcome, taskId }, "schedule");
    }
    for (const { id, trouble } of troubles)
      log.warn({ schedule: id, trouble }, "schedule in trouble");
    if (fires.some(({ taskId }) => taskId !== null)) onFired();
    return Math.max(0, Math.min(nextIn ?? longestRest, longestRest));
  };
}
