import { toClaim } from "./claim.ts";
import { replaceStep } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { processingSteps, type StoreState } from "./store-state.ts";

const takeLimit = 200;

type Relaying = Pick<
  AtOnce<SimulatedStore>,
  "takeUndispatchedSteps" | "markDispatchedSteps" | "undispatchSteps"
>;

/** Which requests are published, and which a Scheduler has to publish again. */
export function relaying(state: StoreState): Relaying {
  const { tasks, now, isLocked, watchers } = state;
  return {
    takeUndispatchedSteps({ relayAfter, held = [] }) {
      const late = processingSteps(state)
        .filter(([stored, step]) => {
          const relayAt = stored.relayAts.get(step.plan.name);
          return relayAt !== undefined && relayAt <= now() && !isLocked();
        })
        .slice(0, takeLimit);
      const isHeld = ([{ task }, step]: (typeof late)[number]): boolean =>
        held.some(
          ({ taskId, name, attempt }) =>
            taskId === task.taskId && name === step.plan.name && attempt === step.attempt,
        );
      const lost = late.filter((one) => !isHeld(one));
      for (const [stored, step] of late) stored.relayAts.set(step.plan.name, now() + relayAfter);
      for (const [stored, step] of lost) {
        const { startBy, completeBy } = step;
        const isTooLate = startBy <= now() && completeBy > now();
        if (isTooLate) stored.relayAts.set(step.plan.name, completeBy);
        replaceStep(stored, { ...step, relayed: true });
        for (const watcher of watchers) watcher.relayed(stored, step);
      }
      return lost.map(([stored, step]) => toClaim(state, stored, step));
    },

    markDispatchedSteps(steps) {
      for (const { taskId, name, attempt } of steps) {
        const stored = tasks.get(taskId);
        const step = stored?.task.steps.get(name);
        if (stored === undefined || step?.processState !== "processing") continue;
        if (step.attempt !== attempt || step.dispatched || isLocked()) continue;
        stored.relayAts.delete(name);
        replaceStep(stored, { ...step, dispatched: true });
        for (const watcher of watchers) watcher.marked(stored, step);
      }
    },

    undispatchSteps() {
      const begun = processingSteps(state).filter(([, { startBy }]) => startBy > now());
      for (const [stored, step] of begun) {
        replaceStep(stored, { ...step, dispatched: false });
        stored.relayAts.set(step.plan.name, now());
      }
      return begun.length;
    },
  };
}
