import type { LoopStore } from "@holdfast/scheduler-service";
import type { OperationsStore, StateStore, SubmissionStore } from "@holdfast/state-store";
import type { RecoveryStore } from "@holdfast/supervisor-service";

/**
 * What each kind of process asks of the store, if anything: operations of its role, with their
 * types.
 */
export interface StoresOfRoles {
  readonly scheduler: LoopStore;
  readonly supervisor: RecoveryStore;
  readonly submission: Pick<
    SubmissionStore,
    "submitTasks" | "findWorkflows" | "findKnownAgents" | "findActiveVersions"
  >;
  readonly client: Pick<
    SubmissionStore,
    "submitTasks" | "sendSignals" | "holdSignal" | "recordDecision" | "findDecisions"
  >;
}

/** What of the state store the loops, their clients and operators use. */
export type SimulatedStore = StoresOfRoles["scheduler"] &
  StoresOfRoles["supervisor"] &
  StoresOfRoles["submission"] &
  StoresOfRoles["client"] &
  Pick<StateStore, "listSignals"> &
  Pick<
    OperationsStore,
    | "registerWorkflow"
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
