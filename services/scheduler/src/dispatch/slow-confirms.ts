import { type Clock, causeOf, type Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Observer } from "../observer.ts";
import { nextWake } from "../state/scheduler-state.ts";

interface SlowConfirmDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "rememberOutage">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
}

/**
 * One round: remembers in the store that the broker took long to confirm a request, or has not
 * confirmed one for long. A process that is killed in an outage has said so before, which is all
 * that is known of the outage afterwards.
 */
export const rememberSlowConfirms =
  ({ store, state, see, clock, log }: SlowConfirmDependencies) =>
  async (): Promise<number> => {
    see({ kind: "unconfirmed" });
    for (let lasted = state.requests.slowConfirm; lasted > 0; lasted = state.requests.slowConfirm) {
      see({ kind: "remembering" });
      try {
        await store.rememberOutage({ part: "requests", lasted });
      } catch (error) {
        log.warn({ lasted, cause: causeOf(error) }, "slow confirm not remembered");
      }
    }
    return nextWake(state, "outages", clock.now());
  };
