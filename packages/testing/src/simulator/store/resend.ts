import { toClaim } from "./claim.ts";
import { replaceStep } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { processingSteps, type StoreState } from "./store-state.ts";

const takeLimit = 200;

type Resending = Pick<
  AtOnce<SimulatedStore>,
  "takeUnconfirmedSteps" | "confirmRequests" | "unconfirmSteps"
>;

/** Which requests are published, and which a Scheduler has to publish again. */
export function resending(state: StoreState): Resending {
  const { tasks, now, isLocked, watchers } = state;
  return {
    takeUnconfirmedSteps({ resendAfter, held = [] }) {
      const late = processingSteps(state)
        .filter(([stored, step]) => {
          const resendAt = stored.resendAts.get(step.plan.name);
          return resendAt !== undefined && resendAt <= now() && !isLocked();
        })
        .slice(0, takeLimit);
      const isHeld = ([{ task }, step]: (typeof late)[number]): boolean =>
        held.some(
          ({ taskId, name, attempt }) =>
            taskId === task.taskId && name === step.plan.name && attempt === step.attempt,
        );
      const lost = late.filter((one) => !isHeld(one));
      for (const [stored, step] of late) stored.resendAts.set(step.plan.name, now() + resendAfter);
      for (const [stored, step] of lost) {
        const { startBy, completeBy } = step;
        const isTooLate = startBy <= now() && completeBy > now();
        if (isTooLate) stored.resendAts.set(step.plan.name, completeBy);
        replaceStep(stored, { ...step, resent: true });
        for (const watcher of watchers) watcher.resent(stored, step);
      }
      return lost.map(([stored, step]) => toClaim(state, stored, step));
    },

    confirmRequests(steps) {
      for (const { taskId, name, attempt } of steps) {
        const stored = tasks.get(taskId);
        const step = stored?.task.steps.get(name);
        if (stored === undefined || step?.processState !== "processing") continue;
        if (step.attempt !== attempt || step.confirmed || isLocked()) continue;
        stored.resendAts.delete(name);
        replaceStep(stored, { ...step, confirmed: true });
        for (const watcher of watchers) watcher.confirmed(stored, step);
      }
    },

    unconfirmSteps() {
      const begun = processingSteps(state).filter(([, { startBy }]) => startBy > now());
      for (const [stored, step] of begun) {
        replaceStep(stored, { ...step, confirmed: false });
        stored.resendAts.set(step.plan.name, now());
      }
      return begun.length;
    },
  };
}
