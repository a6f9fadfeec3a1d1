import type { StepKind } from "@holdfast/domain";
import type { ClientEvent } from "@holdfast/load";

/** Milliseconds since 1970. Everything runs on one host, so all witnesses share its clock. */
export type Moment = number;

/** One fault that was injected. */
export interface FaultEvent {
  readonly class: string;
  readonly target: string;
  readonly from: Moment;
  /** When what was broken was whole again. */
  readonly healedAt: Moment;
  /**
   * The instant from which on recovery is measured: where others take over, the moment of the fault
   * itself.
   */
  readonly recoverFrom: Moment;
  /** Why it could not be injected; null: it was. */
  readonly error: string | null;
}

export interface TaskRow {
  readonly taskId: string;
  /** The key of its submission; null: it was submitted without one. */
  readonly key: string | null;
  readonly goal: "do" | "undo";
  readonly state: string;
  readonly createdAt: Moment;
  readonly finishedAt: Moment | null;
}

export interface StepRow {
  readonly taskId: string;
  readonly name: string;
  readonly kind: StepKind;
  readonly state: string;
  readonly attempt: number;
  readonly failureCount: number;
  readonly output: unknown;
}

export interface StoreEvent {
  /** Rises within a task. */
  readonly id: number;
  readonly taskId: string;
  readonly step: string | null;
  readonly action: string;
  readonly from: string | null;
  readonly to: string;
  readonly attempt: number | null;
  readonly actor: string;
  readonly reason: string | null;
  readonly at: Moment;
}

export interface RejectedReply {
  readonly taskId: string | null;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly reason: string;
}

export interface DeadLetter {
  readonly queue: string;
  readonly messageId: string | null;
}

/** A task's entry into `error`, as the alert to a person has it. */
export interface Alert {
  readonly taskId: string;
  readonly at: Moment;
}

export interface LedgerEntry {
  readonly seq: number;
  readonly at: Moment;
  readonly kind: "applied" | "undone" | "tombstone";
  readonly partner: string;
  readonly resource: string;
  /** `<task>:<step>:do`. */
  readonly key: string;
  readonly answer?: Readonly<Record<string, unknown>>;
}

/** What the API answered an observer about an order. */
export interface Observation {
  readonly at: Moment;
  readonly observer: string;
  readonly taskId: string;
  readonly state: string;
  readonly version: number;
}

/** A status message, as it came to the queue that the order named. */
export interface StatusMessage {
  readonly at: Moment;
  readonly taskId: string;
  readonly sequence: number;
  readonly event: string;
  readonly state: string;
}

export interface QueueDepth {
  readonly queue: string;
  readonly messages: number;
}

/** A look at the store in the middle of the run. */
export interface Sample {
  readonly at: Moment;
  /**
   * How far past its limit the oldest step is that no Supervisor has recovered, in milliseconds.
   */
  readonly overdueMs: number;
  /** How long the longest idle transaction has been idle, in milliseconds. */
  readonly idleInTransactionMs: number;
  readonly connections: number;
}

/** What the run was meant to be. */
export interface Plan {
  readonly seed: number;
  readonly orders: number;
  readonly faults: number;
  readonly classes: readonly string[];
  /** How often a step may fail before it is given up. */
  readonly failureThreshold: number;
  /**
   * Milliseconds from the claim until a silent step is recovered, its Supervisor's rest included.
   */
  readonly recoveryMs: number;
  readonly maxConnections: number;
}

/** Everything that the witnesses say. They know nothing of each other. */
export interface Evidence {
  readonly plan: Plan;
  readonly history: readonly ClientEvent[];
  readonly faults: readonly FaultEvent[];
  readonly tasks: readonly TaskRow[];
  readonly steps: readonly StepRow[];
  readonly events: readonly StoreEvent[];
  readonly rejectedReplies: readonly RejectedReply[];
  readonly deadLetters: readonly DeadLetter[];
  /** Message ids that were made to end as dead letters. */
  readonly poison: readonly string[];
  readonly alerts: readonly Alert[];
  readonly ledger: readonly LedgerEntry[];
  readonly observations: readonly Observation[];
  readonly statuses: readonly StatusMessage[];
  /** When the queue of statuses was found or declared again. */
  readonly statusQueueSeen: readonly Moment[];
  readonly queues: readonly QueueDepth[];
  readonly samples: readonly Sample[];
}
