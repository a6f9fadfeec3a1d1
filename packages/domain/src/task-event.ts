import type { Milliseconds } from "./workflow-definition.ts";

/** Names one attempt at one step. Both numbers must fit, or the event is about the past. */
export interface AttemptRef {
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
  /** Who says so, where it must be the step's own Agent. */
  readonly agent?: string;
}

/** What is known of the remote service after an attempt that did not complete. */
export type Effect = "none" | "unknown";

/** What ends a wait. */
export type WaitEnder = "deadline" | "signal" | "operator" | "approval" | "rejection";

/** Everything that can happen to a task, from whatever source. */
export type TaskEvent =
  | {
      readonly kind: "claimed";
      readonly step: string;
      readonly by: string;
      readonly token: string;
      /** The Agent that gets it; matters to a step of a pool only. */
      readonly agent?: string;
    }
  | ({ readonly kind: "completed" } & AttemptRef)
  | ({
      readonly kind: "failed";
      readonly code: string;
      readonly transient: boolean;
      /** Whether the remote service was called. False: it was not, so nothing failed. */
      readonly attempted: boolean;
      readonly effect: Effect;
      /**
       * Whether the Agent's broker had delivered the request before; unknown from Agents that do
       * not say.
       */
      readonly redelivered?: boolean;
      /**
       * It is left alone for so long at least: at its own request, or because it has had too many
       * retries.
       */
      readonly retryAfter: Milliseconds | null;
      /**
       * The remote service said itself when to come back: it paces its callers, and has not failed.
       */
      readonly paces?: boolean;
      /** The contract by which an instance of the Agent refused the request. */
      readonly contract?: string;
      /**
       * This instance cannot read the request, by a contract that is not the workflow's, and called
       * nothing. `here`: another may; `everywhere`: no running one is known to.
       */
      readonly unreadable?: "here" | "everywhere";
    } & AttemptRef)
  /** The Agent was cancelled, and stopped. */
  | ({ readonly kind: "stopped"; readonly effect: Effect } & AttemptRef)
  /** The complete-by time passed in silence. */
  | ({
      readonly kind: "expired";
      /** No answer could have arrived: the broker carried no messages for a while. */
      readonly excused?: boolean;
    } & AttemptRef)
  /**
   * A request was not sent, or came back from its queue: no Agent had that copy at its start-by
   * time.
   */
  | ({
      readonly kind: "neverStarted";
      /** It was not published, or the broker returned it: no queue has ever had it. */
      readonly unsent?: boolean;
    } & AttemptRef)
  /**
   * What the reply means for this task cannot be decided, or no request can be made: an operator
   * must look.
   */
  | ({
      readonly kind: "parked";
      readonly code: string;
      /** Whether there was nothing to publish: no queue has ever had a request of this attempt. */
      readonly unsent?: boolean;
    } & AttemptRef)
  | {
      readonly kind: "resubmitted";
      readonly step: string;
      readonly attempt: number;
      readonly inputChanged: boolean;
    }
  | { readonly kind: "resolved"; readonly step: string; readonly attempt: number }
  /**
   * What a step waited for has come: its time, a signal of its name, the decision of its audience,
   * or the word of an operator, who waits no longer.
   */
  | { readonly kind: "waitEnded"; readonly step: string; readonly by: WaitEnder }
  | { readonly kind: "undoRequested"; readonly code: string }
  /**
   * The task's own limit has passed. The limit of a paused task stands still, so it is refused
   * then.
   */
  | { readonly kind: "limitPassed" }
  /** An operator ends the delay of a pending step: it is due now. */
  | { readonly kind: "retryRequested"; readonly step: string }
  /** Nothing more is to be begun until the task is resumed; what is in flight ends by itself. */
  | { readonly kind: "paused" }
  | {
      readonly kind: "resumed";
      /** How long it was paused. Absent: unknown, so nothing is postponed by it. */
      readonly pausedFor?: Milliseconds;
    }
  /** The sweep found the task with nothing to wait for. */
  | { readonly kind: "replanned" };

/**
 * Why an event changed nothing. Late, double and foreign messages are everyday life, not errors.
 */
export type Rejection =
  | "unknown_step"
  | "not_processing"
  | "stale_attempt"
  | "wrong_token"
  | "wrong_agent"
  | "not_expired"
  /** Another copy of the request may be with an Agent until its complete-by time. */
  | "may_be_running"
  | "not_pending"
  | "not_due"
  | "not_delayed"
  | "not_in_error"
  | "not_awaiting"
  /** What follows is what the signal says, so no step goes on without one. */
  | "needs_signal"
  /** It is for its audience to decide. */
  | "needs_decision"
  /** The step asks no Agent: there is no attempt to be made again. */
  | "no_attempt"
  | "wrong_goal"
  | "task_finished"
  | "task_paused"
  /** A person has to look at the task, and nothing more fails by itself until then. */
  | "task_halted"
  | "already_paused"
  | "not_paused"
  | "nothing_to_do";
