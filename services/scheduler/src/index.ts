export type { StateWatcher } from "./observer.ts";
export { type Scheduler, startScheduler } from "./scheduler.ts";
export type { LoopStore, SchedulerOptimisations, SchedulerOptions } from "./scheduler-options.ts";
export { printObservation, printState, type SchedulerState } from "./state/scheduler-state.ts";
