import type {
  Goal,
  Json,
  StepKind,
  StepState,
  TaskState,
  WorkflowDefinition,
} from "@holdfast/domain";

/** What the routes answer, as far as the tools read it. */
export interface TaskResource {
  readonly id: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly state: TaskState;
  readonly version: number;
  readonly priority: string;
  readonly fairness: { readonly key: string; readonly weight: number } | null;
  readonly faultCode: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly paused: PausedResource | null;
  readonly steps: readonly StepResource[];
}

export interface PausedResource {
  readonly at: string;
  readonly by: string;
  readonly reason: string | null;
}

export interface StepResource {
  readonly name: string;
  readonly kind: StepKind;
  readonly agent: string;
  readonly processState: StepState;
  readonly attempt: number;
  readonly failureCount: number;
  readonly requeueCount: number;
  readonly lockedBy: string | null;
  readonly completeBy: string | null;
  readonly startedAt?: string | null;
  readonly heartbeatAt?: string | null;
  readonly progress?: { readonly percent?: number; readonly note?: string } | null;
  readonly notBefore: string | null;
  readonly faultCode: string | null;
  readonly faultDetail: string | null;
  readonly output: Json;
}

export interface HistoryResource {
  readonly step: string | null;
  readonly action: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly at: string;
}

export interface ListedTaskResource {
  readonly id: string;
  readonly state: TaskState;
  readonly workflow: string;
  readonly faultCode: string | null;
  readonly createdAt: string;
}

export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next?: string | null;
}

export interface AgentResource {
  readonly name: string;
  readonly living: number;
  readonly slots: number;
  readonly inFlight: number;
  readonly due: number;
  readonly paused: PausedResource | null;
  readonly instances: readonly {
    readonly slots: number;
    readonly breaker: string;
    readonly openUntil: string | null;
    readonly living: boolean;
  }[];
}

export interface RemoteResource {
  readonly name: string;
  readonly breaker: "closed" | "open" | "half-open";
  readonly agents: readonly string[];
  readonly since: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly held: boolean;
  readonly openUntil: string | null;
  readonly throttledUntil: string | null;
  readonly probe: { readonly taskId: string } | null;
  readonly heldSteps: number;
}

export interface WorkflowResource {
  readonly name: string;
  readonly definition?: WorkflowDefinition;
}

export interface PauseResource {
  readonly kind: "agent" | "workflow";
  readonly name: string;
  readonly actor: string;
  readonly reason: string;
  readonly pausedAt: string;
  readonly resumedAt: string | null;
}
