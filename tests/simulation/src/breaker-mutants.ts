import type { MemoryStore, StoredBreaker } from "@holdfast/testing/simulator";
import type { Mutation } from "./mutation.ts";

/** Stores with a wrong breaker, by name. The simulation must find each of them. */
export const breakerMutants: Readonly<Record<string, Mutation>> = {
  "a breaker never closes": {
    store: (store) => ({
      ...store,
      endProbes: ({ outcomes, ...by }) =>
        store.endProbes({ ...by, outcomes: outcomes.filter(({ answered }) => !answered) }),
    }),
  },
  "two probes are tried at a time": {
    store: (store) => ({
      ...store,
      claimProbe(options) {
        forgetProbe(store, options.service);
        return store.claimProbe(options);
      },
    }),
  },
  "an open breaker holds nothing back": {
    store: (store) => ({ ...store, findBreakers: () => [] }),
  },
};

function forgetProbe({ breakers }: MemoryStore, service: string): void {
  const breaker = breakers.get(service);
  if (breaker === undefined) return;
  (breakers as Map<string, StoredBreaker>).set(service, { ...breaker, probe: null });
}
