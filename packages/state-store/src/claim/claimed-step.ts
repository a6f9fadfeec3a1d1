import type { Band, Instant, Json, Priority } from "@holdfast/domain";

/** A step that one Scheduler, and no other, may now ask its Agent to do. */
export interface ClaimedStep {
  readonly taskId: string;
  readonly name: string;
  readonly lane: string;
  /** Who gets it: the Agent of its lane, or the one of the pool that the claim chose. */
  readonly agent: string;
  readonly workflow: string;
  readonly attempt: number;
  readonly token: string;
  readonly startBy: Instant;
  readonly completeBy: Instant;
  readonly keyGeneration: number;
  /** The priority of its task. */
  readonly priority: Priority;
  /**
   * The input of the task, if it is small and no operator has corrected the step's; null: load it.
   */
  readonly taskInput: Json;
  /** The trace that its task belongs to, as `traceText` writes it; null or absent: none. */
  readonly traceContext?: string | null;
  /** The store's clock at the claim. */
  readonly now: Instant;
}

/** A claimed step with what the task cache needs of its task. */
export interface ClaimedRow extends ClaimedStep {
  /**
   * The version of the task after the claim; null: another transaction held the task's row, so it
   * is not known.
   */
  readonly version: number | null;
  readonly fairnessKey: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
}

/** How many steps of one lane may be claimed. */
export interface LaneCapacity {
  readonly lane: string;
  /** The Agent of a pool that gets what is claimed. */
  readonly agent?: string;
  /** How many steps, also of those that other transactions made due. */
  readonly slots: number;
  /** How many, if the same transaction makes as many due; `slots` unless it is more. */
  readonly most?: number;
  /** How many of `slots` are for steps of the last band, if any is due; none unless given. */
  readonly reserved?: number;
}

export interface ClaimOptions {
  readonly lockedBy: string;
  /** How many steps of which lane may be claimed. */
  readonly capacity: readonly LaneCapacity[];
  /**
   * Milliseconds after which another Scheduler may publish the request, if its confirm is not
   * recorded.
   */
  readonly resendAfter: number;
  /** The last band that is claimed from; all of them unless given. */
  readonly upTo?: Band;
}

/** One attempt at a step. */
export type AttemptKey = Pick<ClaimedStep, "taskId" | "name" | "attempt">;

export interface ResendOptions {
  /**
   * Milliseconds after which a request is checked again, if its confirm is not recorded until then.
   */
  readonly resendAfter: number;
  /**
   * Requests that the caller still builds or publishes, and that are therefore not lost; none
   * unless given.
   */
  readonly held?: readonly AttemptKey[];
}
