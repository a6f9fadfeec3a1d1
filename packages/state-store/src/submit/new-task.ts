import type { Fairness, Json, Milliseconds, Priority, When } from "@holdfast/domain";

/** What a task is found by, in the words of its application. */
export type Labels = Readonly<Record<string, string>>;

/** A submission of the inbox that this process is to make a task of. */
export interface EnqueuedSubmission {
  /** The id that its task is to have. */
  readonly taskId: string;
  /** The submission as its application wrote it, as JSON. */
  readonly submission: string;
  /** The task that its idempotency key stood for; null: it is to be a task of its own. */
  readonly replayOf: string | null;
  /** The trace that it goes on with, as `traceText` writes it; null: none. */
  readonly traceContext: string | null;
  /** The login that enqueued it. */
  readonly submitter: string;
  /** What the application called its connection; null: nothing, or an earlier release took it. */
  readonly application: string | null;
  /** How often it was taken, this time included. */
  readonly claims: number;
}

/** A task to be written down. */
export interface NewTask {
  readonly tenant: string;
  readonly workflow: string;
  /** Whether no version was asked for: then `workflow` must be the active one. */
  readonly takesActive?: boolean;
  /**
   * Whether it makes no task: it is `replayed` if its key stands for one of the same request, and
   * refused otherwise.
   */
  readonly onlyRepeats?: boolean;
  readonly input: Json;
  readonly priority: Priority;
  /** What its steps share their band by; null: first come, first served. */
  readonly fairness: Fairness | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  /**
   * The application's own name of what the task is about: at most one open task of its workflow has
   * it.
   */
  readonly key?: string | null;
  readonly labels?: Labels | null;
  /** When its first steps become due, where that is later than now, by the clock of the store. */
  readonly notBefore?: When | null;
  /** The trace that it belongs to, as `traceText` writes it; null or absent: none. */
  readonly traceContext?: string | null;
  /** The id of who submits it, as the service that takes it knows; null or absent: unknown. */
  readonly submittedBy?: string | null;
  /** The idempotency key: with the same hash it stands for the same task while it is kept. */
  readonly idempotency: {
    readonly key: string;
    readonly hash: string;
    /**
     * Hashes by which earlier releases knew the same request. Asked for only where one of theirs is
     * stored.
     */
    readonly earlierHashes?: () => readonly string[];
    /** 24 hours unless said otherwise. */
    readonly keepFor?: Milliseconds;
  } | null;
  /** The submission of the inbox that it is made of; absent: it comes from elsewhere. */
  readonly enqueued?: Pick<EnqueuedSubmission, "taskId" | "replayOf"> & {
    /** Stands in the history as who submitted it. */
    readonly by: string;
  };
}

/** A task that is to be written, and the id that it would get. */
export interface Candidate {
  readonly taskId: string;
  readonly task: NewTask;
}
