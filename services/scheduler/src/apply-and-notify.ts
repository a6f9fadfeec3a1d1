import type { cancelHints } from "@holdfast/messaging";
import type { AppliedEvents, SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "applyEvents">;
  /** Has new notifications sent. */
  readonly notify: () => void;
  readonly cancel: ReturnType<typeof cancelHints>;
}

/** Applies events. `onCommit` comes before anything that could fail. */
export type ApplyEvents = (
  ...args: [
    ...Parameters<SchedulerStore["applyEvents"]>,
    onCommit?: (applied: AppliedEvents) => void,
  ]
) => ReturnType<SchedulerStore["applyEvents"]>;

/** Applies events, and publishes what follows from them at once: notifications and cancel hints. */
export const applyAndNotify =
  ({ store, notify, cancel }: Dependencies): ApplyEvents =>
  async (reportedEvents, how, onCommit) => {
    const applied = await store.applyEvents(reportedEvents, how);
    onCommit?.(applied);
    if (applied.hasNotifications) notify();
    cancel(applied.obsoleteAttempts);
    return applied;
  };
