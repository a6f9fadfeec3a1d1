import type { Agent, HistoryEntry, ListedTask, Pause, Remote, Step, Task } from "@holdfast/client";

export type { Agent, HistoryEntry, ListedTask, Pause, Remote, Step, Task };

export type TaskState = Task["state"];
export type StepState = Step["processState"];
export type BreakerState = "closed" | "open" | "half-open";

/** Why a task stands as it stands, as `holdfast why` says it. */
export interface Why {
  readonly taskId: string;
  readonly workflow: string;
  readonly state: TaskState;
  readonly sentence: string;
  readonly evidence: readonly string[];
  /** Who acts next; null where no one does. */
  readonly turnOf: string | null;
}

export type AttemptOutcome =
  | "running"
  | "processed"
  | "failed"
  | "expired"
  | "requeued"
  | "cancelled";

/** One attempt of a step, with the deadline that it ran against. */
export interface Attempt {
  readonly step: string;
  readonly kind: "call" | "compensation";
  /** The step that a compensation undoes. */
  readonly undoes: string | null;
  readonly attempt: number;
  readonly agent: string;
  readonly lockedBy: string | null;
  readonly claimedAt: string;
  readonly startedAt: string | null;
  readonly heartbeatAt: string | null;
  readonly completeBy: string | null;
  readonly endedAt: string | null;
  readonly outcome: AttemptOutcome;
  readonly faultCode: string | null;
  readonly faultDetail: string | null;
  readonly progress: unknown;
  readonly input: unknown;
  readonly output: unknown;
}

/** A time in which a step waited, such as between two attempts. */
export interface StepWait {
  readonly step: string;
  readonly from: string;
  readonly until: string | null;
  readonly reason: string;
}

/** A reply that came after its attempt had ended, and was refused. */
export interface LateReply {
  readonly step: string;
  readonly attempt: number;
  readonly at: string;
  readonly reason: string;
  readonly sender: string | null;
}

export interface Attempts {
  readonly items: readonly Attempt[];
  readonly waits: readonly StepWait[];
  readonly lateReplies: readonly LateReply[];
  readonly truncated: boolean;
}

/** Something that an operator should look at. */
export interface Need {
  readonly kind:
    | "halted"
    | "breaker"
    | "deadLetters"
    | "paused"
    | "agentSilent"
    | "outbox"
    | "alert";
  readonly count: number;
  readonly sentence: string;
  readonly since: string | null;
  /** Where the console shows it, below `/console`. */
  readonly page: string;
}

export interface AgentOverview {
  readonly name: string;
  readonly instances: number;
  readonly slots: number;
  readonly inFlight: number;
  readonly due: number;
  readonly oldestDueMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly okPercent: number | null;
  readonly breaker: BreakerState;
  readonly breakerUntil: string | null;
  readonly heldSteps: number;
  readonly paused: boolean;
  readonly seenAt: string | null;
}

export interface InstanceSeen {
  readonly instance: string;
  readonly seenAt: string;
}

export interface Overview {
  readonly at: string;
  readonly states: Readonly<Record<TaskState, number>>;
  readonly perMinute: { readonly submitted: number; readonly ended: number };
  readonly oldestDueMs: number | null;
  readonly needsYou: readonly Need[];
  readonly agents: readonly AgentOverview[];
  readonly schedulers: readonly InstanceSeen[];
  readonly supervisors: readonly InstanceSeen[];
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface StatisticsBucket {
  readonly at: string;
  readonly submitted: number;
  readonly processed: number;
  readonly compensated: number;
  readonly halted: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  readonly undone: number;
  readonly latencyMs: Percentiles | null;
}

export interface Statistics {
  readonly from: string;
  readonly until: string;
  readonly bucketMs: number;
  readonly buckets: readonly StatisticsBucket[];
  readonly workflows: readonly ({ readonly workflow: string } & Readonly<
    Record<string, unknown>
  >)[];
}

/** What `GET /v1/events` says of a task that has changed. */
export interface ChangedTask {
  readonly id: string;
  readonly workflow: string;
  readonly state: TaskState;
  readonly version: number;
  readonly updatedAt: string;
}

/** What an action and a refusal answer with. */
export interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}
