import type { Broker } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "undispatchSteps">;
  readonly dispatches: Pick<Dispatches, "forget">;
  /** Has the next round of the relay look for requests to publish, whatever else it does. */
  readonly relay: () => void;
  readonly wake: () => void;
  readonly log: Logger;
}

/**
 * What to do about a broker that has lost its messages: publish again what was in flight, at once and not when
 * its time is over. One Scheduler that notices suffices for all; several do no harm, for it is the same request.
 */
export const relayLost = ({
  store,
  dispatches,
  relay,
  wake,
  log,
}: Dependencies): Parameters<Broker["keepMarker"]>[1] => ({
  // Confirmed, but not marked: with the connection we lose all that spoke for the broker having it.
  disconnected: () => dispatches.forget(),
  async missing() {
    dispatches.forget();
    const steps = await store.undispatchSteps();
    log.warn({ steps }, "broker is new: all requests in flight are published again");
    relay();
    wake();
  },
});
