import type { ApprovalDecision, Json, Vote } from "@holdfast/domain";
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
  readonly client: Pick<SubmissionStore, "submitTasks" | "sendSignals" | "holdSignal"> & Approvals;
}

interface NewDecision {
  readonly taskId: string;
  readonly step: string;
  readonly actor: string;
  readonly actorName: string;
  readonly decision: Vote;
  readonly reason: string | null;
  readonly form: Json | null;
  readonly quorum: number;
}

type DecisionOutcome =
  | {
      readonly kind: "counted";
      readonly at: string;
      readonly replayed: boolean;
      readonly approvals: number;
      readonly isDecided: boolean;
    }
  | {
      readonly kind: "refused";
      readonly code:
        | "task.unknown"
        | "approval.decided_already"
        | "approval.not_open"
        | "approval.over";
      readonly decisions: readonly ApprovalDecision[];
      readonly outcome: "approved" | "rejected" | "expired" | "cancelled" | null;
    };

/** What the store keeps of what people decide. */
interface Approvals {
  recordDecision(decision: NewDecision): Promise<DecisionOutcome>;
  findDecisions(asked: {
    readonly taskId: string;
    readonly step: string | null;
  }): Promise<readonly (ApprovalDecision & { readonly step: string })[]>;
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
