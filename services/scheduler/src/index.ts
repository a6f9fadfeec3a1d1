export {
  type Scheduler,
  type SchedulerOptions,
  type SchedulerStore,
  startScheduler,
} from "./scheduler.ts";
