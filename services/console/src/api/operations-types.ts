import type { paths } from "@holdfast/client";
import type { BulkAction, BulkOutcome, BulkState, JsonPatch } from "@holdfast/domain";

type SearchBody = paths["/v1/tasks/search"]["post"]["requestBody"]["content"]["application/json"];
/** A filter as `POST /v1/tasks/search` takes it. */
export type SearchFilter = NonNullable<SearchBody["filter"]>;

/** Failures that are alike. */
export interface FailureGroup {
  readonly fingerprint: string;
  readonly workflow: string;
  readonly step: string | null;
  readonly faultCode: string;
  /** The message with numbers and ids replaced. */
  readonly message: string;
  readonly count: number;
  /** Halted now. */
  readonly open: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly sample: readonly string[];
  readonly filter: SearchFilter;
}

export interface Failures {
  readonly groups: readonly FailureGroup[];
  readonly truncated: boolean;
}

/** What a bulk operation would do. */
export interface BulkForecast {
  readonly matches: number;
  readonly allowed: number;
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  readonly sample: readonly string[];
}

export interface BulkOperation {
  readonly id: string;
  readonly action: BulkAction;
  readonly step: string | null;
  readonly patch: JsonPatch | null;
  readonly filter: SearchFilter;
  readonly actor: string;
  readonly reason: string;
  readonly at: string;
  readonly state: BulkState;
  readonly matched: number;
  readonly waiting: number;
  readonly done: number;
  readonly refused: number;
  readonly verified: {
    readonly succeeded: number;
    readonly failedAgain: number;
    readonly running: number;
  };
  readonly canary: number;
  readonly rate: number;
  readonly stoppedBy: string | null;
  readonly stopReason: string | null;
  readonly endedAt: string | null;
}

export interface BulkItem {
  readonly taskId: string;
  readonly outcome: BulkOutcome;
  readonly code: string | null;
  readonly step: string | null;
  readonly at: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** What `holdfast doctor` says. */
export interface Examination {
  readonly at: string;
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly severity: "ok" | "warning" | "error";
    readonly sentence: string;
    readonly advice: string | null;
  }[];
}

/** What `holdfast verify` says. */
export interface Verification {
  readonly at: string;
  readonly ok: boolean;
  readonly tasks: number;
  readonly complete: boolean;
  readonly violations: readonly {
    readonly rule: string;
    readonly taskId: string | null;
    readonly sentence: string;
  }[];
}

export interface ProcessSeen {
  readonly instance: string;
  /** Its release. */
  readonly version: string;
  readonly seenAt: string;
  readonly slots: number | null;
}

export interface QueueSeen {
  readonly name: string;
  readonly ready: number | null;
  readonly unacked: number | null;
  readonly consumers: number | null;
  readonly state: string | null;
}

export interface PartitionSeen {
  readonly name: string;
  readonly from: string;
  readonly until: string;
  /** Rows as Postgres estimates them. */
  readonly rows: number;
  readonly bytes: number;
}

/** The parts of the system as one process sees them. */
export interface SystemView {
  readonly version: string;
  readonly at: string;
  readonly schedulers: readonly ProcessSeen[];
  readonly supervisors: readonly ProcessSeen[];
  readonly submissions: readonly ProcessSeen[];
  /** The queues; null: they are not known, and `queuesNote` says why. */
  readonly queues: readonly QueueSeen[] | null;
  readonly queuesNote: string | null;
  readonly outbox: { readonly waiting: number; readonly oldestMs: number | null };
  readonly partitions: readonly PartitionSeen[];
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** A message that no one could use. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly size: number;
  readonly at: string;
  /** The first 4 KiB, where they are text. */
  readonly body: string | null;
  readonly replayable: boolean;
  /** Why not: one sentence. */
  readonly whyNot: string | null;
}

/** What became of a dead letter. */
export interface DeadLetterAction {
  readonly id: string;
  readonly queue: string;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly action: "replay" | "discard";
  readonly actor: string;
  readonly reason: string;
  readonly at: string;
}
