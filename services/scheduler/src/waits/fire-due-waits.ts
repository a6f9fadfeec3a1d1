import type { Clock, Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Observer } from "../observer.ts";
import { nextWake } from "../state/scheduler-state.ts";
import { expectedClock } from "../state/waits.ts";

interface WaitDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "fireWaits">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "info" | "error">;
  readonly actor: string;
  /** Has notifications sent that a transaction wrote. */
  readonly notify: () => void;
  /** Has Agents stop these attempts, whose results no longer matter. */
  readonly refuse: (
    attempts: Awaited<ReturnType<SchedulerStore["fireWaits"]>>["obsoleteAttempts"],
  ) => void;
}

/** Waits that end in one transaction. */
const most = 100;

/**
 * One round: ends waits whose time has come by the store's clock, and resolves to the milliseconds
 * until the next. Where the store's clock is far ahead of what it must be by the Scheduler's own,
 * it has jumped: what became due by that is held, and an operator is alerted.
 */
export function fireDueWaits(deps: WaitDependencies): () => Promise<number> {
  const { store, clock, log, actor, notify, refuse, state, see } = deps;
  return async () => {
    const expected = expectedClock(state.waits, clock.now());
    const found = await store.fireWaits({ actor, most, expected });
    const { fired, postponed, held, nextIn, areUsed } = found;
    const hasFired = fired.length > 0;
    see({ kind: "waitsSeen", clock: found.now, nextIn, areUsed, hasFired });
    if (held !== null) log.error({ held, expected, clock: found.now }, "store clock jumped ahead");
    for (const { taskId, step, late } of fired) {
      log.info({ taskId, step, late }, "wait ended");
    }
    if (postponed > 0) log.info({ postponed }, "waits postponed");
    if (found.hasNotifications) notify();
    refuse(found.obsoleteAttempts);
    return nextWake(state, "waits", clock.now());
  };
}
