import type { Json, Milliseconds } from "@holdfast/domain";

/** A signal for a task, whose payload keeps its contract. */
export interface NewSignal {
  readonly taskId: string;
  /** The workflow of the task. */
  readonly workflow: string;
  readonly name: string;
  readonly id: string;
  readonly payload: Json;
  readonly sentBy: string;
}

export type SentSignal =
  | { readonly kind: "accepted"; readonly at: string; readonly replayed: boolean }
  | {
      readonly kind: "refused";
      readonly code: "task.unknown" | "signal.too_late" | "signal.id_reused" | "signal.too_many";
    };

/** A signal for the task that a business key will stand for. */
export interface HeldSignal {
  readonly tenant: string;
  readonly family: string;
  readonly key: string;
  /** The hash of the JSON Schema that its payload keeps. */
  readonly contract: string;
  readonly holdFor: Milliseconds;
  readonly name: string;
  readonly id: string;
  readonly payload: Json;
  readonly sentBy: string;
}

export type Holding =
  | { readonly kind: "held"; readonly until: string; readonly replayed: boolean }
  | { readonly kind: "task"; readonly taskId: string }
  | { readonly kind: "refused"; readonly code: "signal.id_reused" | "signal.too_many" };

export interface StoredSignal {
  readonly name: string;
  readonly id: string;
  readonly payload: Json;
  readonly sentBy: string;
  /** When it came, RFC 3339. */
  readonly at: string;
  /** The step that took it; null: none has. */
  readonly takenBy: string | null;
  /** Whether no step could take it when it came. */
  readonly isLate: boolean;
}

export interface SignalStore {
  sendSignals(signals: readonly NewSignal[]): Promise<readonly SentSignal[]>;
  holdSignal(signal: HeldSignal): Promise<Holding>;
  listSignals(taskId: string): Promise<readonly StoredSignal[] | null>;
}
