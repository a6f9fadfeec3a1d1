import type { SchedulerStore } from "@holdfast/scheduler-service";
import type { StateStore } from "@holdfast/state-store";
import type { SupervisorStore } from "@holdfast/supervisor-service";

/** What of the state store the loops and their clients use. */
export type SimulatedStore = SchedulerStore &
  SupervisorStore &
  Pick<
    StateStore,
    | "submitTasks"
    | "registerWorkflow"
    | "findWorkflows"
    | "findKnownAgents"
    | "findActiveVersions"
    | "activateWorkflow"
    | "retireWorkflow"
    | "reinstateWorkflow"
    | "pause"
    | "resume"
    | "holdBreakerOpen"
    | "closeBreaker"
  >;

/** The operations of a store, each over at once. */
export type AtOnce<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};
