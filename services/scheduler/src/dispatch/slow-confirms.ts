import type { Milliseconds } from "@holdfast/domain";
import { causeOf, type Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "rememberOutage">;
  readonly log: Pick<Logger, "warn">;
}

/** A broker that confirms within so many milliseconds delivers a request about when it was published. */
const tolerated = 500;

/**
 * Remembers in the store when the broker took long to confirm a request. Its Agent has it later than its deadline assumes,
 * so what is silent meanwhile is not counted as a failure. Takes how long each confirm took, and how long one has taken so
 * far, in milliseconds.
 */
export function slowConfirms({ store, log }: Dependencies): (took: Milliseconds) => void {
  /** The longest confirm that is not remembered yet. */
  let longest = 0;
  let isRemembering = false;

  const remember = async (): Promise<void> => {
    isRemembering = true;
    while (longest > 0) {
      const lasted = longest;
      longest = 0;
      try {
        await store.rememberOutage({ part: "requests", lasted });
      } catch (error) {
        log.warn({ lasted, cause: causeOf(error) }, "slow confirm not remembered");
      }
    }
    isRemembering = false;
  };

  return (took) => {
    if (took <= tolerated) return;
    longest = Math.max(longest, took);
    if (!isRemembering) void remember();
  };
}
