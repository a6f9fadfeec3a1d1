import type { Mutation } from "./mutation.ts";

/** Schedulers that ask Agents for too much, by name. The simulation must find each of them. */
export const capacityMutants: Readonly<Record<string, Mutation>> = {
  "the maxInFlight of an Agent is ignored": { maxInFlight: 1_000 },
  "the slots of an Agent are ignored": {
    store: (store) => ({ ...store, findAgentSlots: () => [] }),
  },
  "each instance is taken for one of a hundred slots": {
    store: (store) => ({
      ...store,
      findAgentSlots: () =>
        store.findAgentSlots().map((one) => ({ ...one, slots: one.slots.map(() => 100) })),
    }),
  },
};
