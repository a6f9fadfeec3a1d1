import type { AttemptSignOfTask } from "@holdfast/state-store";
import type { MemoryStore } from "@holdfast/testing/simulator";
import type { Mutation } from "./mutation.ts";

/**
 * Stores that take signs of life for something else, or none, by name. The simulation must find
 * each of them.
 */
export const signMutants: Readonly<Record<string, Mutation>> = {
  "no heartbeat extends a deadline": editSigns((sign) => ({ ...sign, beats: false })),
  "a heartbeat of an old attempt counts": editSigns((sign, store) => {
    const step = store.tasks.get(sign.taskId)?.task.steps.get(sign.step);
    return step?.processState === "processing"
      ? { ...sign, attempt: step.attempt, token: step.token }
      : sign;
  }),
  "an Agent whose answer was not taken does not say so": {
    store: (store) => ({
      ...store,
      rememberOutage(outage) {
        if (!outage.part.startsWith("agent ")) store.rememberOutage(outage);
      },
    }),
  },
};

function editSigns(
  edit: (sign: AttemptSignOfTask, store: MemoryStore) => AttemptSignOfTask,
): Mutation {
  return {
    store: (store) => ({
      ...store,
      recordAttemptSigns: (signs) =>
        store.recordAttemptSigns(signs.map((sign) => edit(sign, store))),
    }),
  };
}
