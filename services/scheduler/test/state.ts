import type { TaskEvent } from "@holdfast/domain";
import { observer } from "../src/observer.ts";
import {
  type LoopName,
  newState,
  type Observation,
  type StateSettings,
} from "../src/state/scheduler-state.ts";
import { testClock } from "./clock.ts";

interface Options extends Partial<StateSettings> {
  readonly clock?: Parameters<typeof observer>[0]["clock"];
  readonly wake?: (loop: LoopName) => void;
}

/**
 * The state of a Scheduler for tests, by a clock that stands still unless another is given, and
 * which loops it wakes.
 */
export function openState({ clock = testClock(), wake, ...settings }: Options = {}) {
  const woken: LoopName[] = [];
  const state = newState({ maxInFlight: 10, ...settings }, clock.now());
  const observed = observer({ state, clock, wake: wake ?? ((loop) => void woken.push(loop)) });
  return { ...observed, clock, woken };
}

/** What a Scheduler sees of one reply that is recorded, or refused. */
export const replied = (
  agent: string,
  event: TaskEvent,
  { isApplied = true, since = 0 }: { readonly isApplied?: boolean; readonly since?: number } = {},
): Extract<Observation, { kind: "replied" }> => ({
  kind: "replied",
  received: [
    { agent, reply: { token: "token" in event ? event.token : "" }, reportedEvent: { event } },
  ],
  outcomes: [
    isApplied ? { applied: true, changes: [] } : { applied: false, reason: "stale_attempt" },
  ],
  since,
});
