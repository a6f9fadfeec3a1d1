import type { Clock } from "@holdfast/runtime";
import {
  type LoopName,
  type Observation,
  observe,
  type SchedulerState,
  type Wake,
} from "./state/scheduler-state.ts";

/** The state of a Scheduler, and the one way to change it. */
export interface Observer {
  readonly state: SchedulerState;
  /** Shows the state what has happened, and has the loops run that this wakes. */
  readonly see: (seen: Observation) => void;
}

/** Is called after each observation, with what the state has become by it. */
export type StateWatcher = (seen: Observation, state: SchedulerState) => void;

interface ObserverDependencies {
  readonly state: SchedulerState;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Has a loop begin its next round now. */
  readonly wake: (loop: LoopName) => void;
  readonly watch?: StateWatcher | undefined;
}

export function observer({ state, clock, wake, watch }: ObserverDependencies): Observer {
  /** Loops that are woken later. However often that is asked for, the first time counts. */
  const awaited = new Set<LoopName>();
  const wakeIn = ({ loop, in: ms }: Wake): void => {
    if (ms <= 0) return wake(loop);
    if (awaited.has(loop)) return;
    awaited.add(loop);
    clock.after(ms, () => {
      awaited.delete(loop);
      wake(loop);
    });
  };
  return {
    state,
    see(seen) {
      const wakes = observe(state, seen, clock.now());
      watch?.(seen, state);
      for (const one of wakes) wakeIn(one);
    },
  };
}
