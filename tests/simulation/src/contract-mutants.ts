import { editEvents } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";

/**
 * What is done wrongly with requests that an instance cannot read, by name. The simulation must
 * find each.
 */
export const contractMutants: Readonly<Record<string, Mutation>> = {
  "a request that an instance cannot read fails its step": {
    domain: editEvents((event) => {
      if (event.kind !== "failed" || event.unreadable === undefined) return event;
      const { unreadable: _, ...refusal } = event;
      return { ...refusal, code: "step.contract_broken", transient: false };
    }),
  },
};
