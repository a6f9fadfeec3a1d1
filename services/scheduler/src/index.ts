export { type Scheduler, startScheduler } from "./scheduler.ts";
export type {
  SchedulerOptimisations,
  SchedulerOptions,
  SchedulerStore,
} from "./scheduler-context.ts";
