import { type Clock, sleep } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "deleteFreeBusinessKeys">;
  readonly clock: Clock;
}

/** Keys that one statement looks at, and how many such statements one round has. */
const batch = 500;
const batches = 20;
/** Milliseconds between two of them. */
const pause = 50;

/** Deletes business keys whose tasks have ended. Each round goes on where the one before stopped. */
export function deleteBusinessKeys({ store, clock }: Dependencies) {
  let after: Parameters<typeof store.deleteFreeBusinessKeys>[0]["after"] = null;

  return async (signal: AbortSignal): Promise<void> => {
    for (let done = 0; done < batches && !signal.aborted; done += 1) {
      ({ next: after } = await store.deleteFreeBusinessKeys({ after, batch }));
      if (after === null) return;
      await sleep(clock, pause, signal);
    }
  };
}
