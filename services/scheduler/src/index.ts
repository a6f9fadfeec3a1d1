export { type Scheduler, startScheduler } from "./scheduler.ts";
export type {
  LoopStore,
  SchedulerOptimisations,
  SchedulerOptions,
} from "./scheduler-context.ts";
