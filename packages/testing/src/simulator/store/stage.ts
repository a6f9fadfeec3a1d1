import { laneOf } from "@holdfast/domain";
import { holdsBack } from "./breakers.ts";
import { closeFairnessGaps, enqueue } from "./due-order.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { least, parkedUntil, type StoreState } from "./store-state.ts";

type Staging = Pick<AtOnce<SimulatedStore>, "stageDueSteps">;

/** Makes the steps claimable whose delay is over, and closes the gaps in the order of fairness keys. */
export const staging = (state: StoreState): Staging => ({
  stageDueSteps() {
    const { tasks, pauses, now, isLocked } = state;
    const lanes = new Set<string>();
    const rests: number[] = [];
    const resends: number[] = [];
    for (const stored of tasks.values()) {
      resends.push(...stored.resendAts.values());
      for (const step of stored.task.steps.values()) {
        if (step.processState !== "pending" || stored.ranks.has(step.plan.name)) continue;
        if (step.notBefore > now()) {
          if (step.notBefore !== parkedUntil) rests.push(step.notBefore - now());
        } else if (!isLocked()) {
          enqueue(state, stored, step);
          lanes.add(laneOf(step));
        }
      }
    }
    closeFairnessGaps(state);
    return {
      lanes: [...lanes],
      nextIn: least(rests),
      resendIn: least(resends.map((at) => at - now())),
      hasDue: [...tasks.values()].some(({ ranks }) => ranks.size > 0),
      hasNotifications: false,
      hasPauses: pauses.unreleasedWorkflows().size > 0,
      hasBreakers: holdsBack(state),
    };
  },
});
