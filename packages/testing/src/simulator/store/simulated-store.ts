import type { LoopStore } from "@holdfast/scheduler-service";
import type { OperationsStore, SubmissionStore } from "@holdfast/state-store";
import type { RecoveryStore } from "@holdfast/supervisor-service";

/** What of the state store the loops and their clients use. Each operation is that of a role, so it has the same type. */
export type SimulatedStore = LoopStore &
  RecoveryStore &
  Pick<
    SubmissionStore,
    "submitTasks" | "registerWorkflow" | "findWorkflows" | "findKnownAgents" | "findActiveVersions"
  > &
  Pick<
    OperationsStore,
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
