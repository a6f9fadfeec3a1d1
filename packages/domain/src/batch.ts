import type { ContractFault } from "./faults.ts";
import type { Json } from "./json.ts";
import type { Band, Urgency } from "./priority.ts";
import type { Instant } from "./step.ts";
import type { Change } from "./step-transitions.ts";
import type { Task } from "./task.ts";
import type { Rejection, TaskEvent } from "./task-event.ts";

/** Something that happened, with what the step returned if it completed. */
export interface ReportedEvent {
  readonly event: TaskEvent;
  readonly output?: Json;
}

/** An event of a task, with what the store keeps of it if it is applied. */
export interface ReportedTaskEvent extends ReportedEvent {
  readonly taskId: string;
  /** Text for people. */
  readonly faultDetail?: string;
  /** Replaces the input that the definition gives the step. */
  readonly correctedInput?: Json;
  /**
   * Set if the caller has read the task: the event is rejected if the task has another version now.
   */
  readonly expectedVersion?: number;
}

/**
 * What became of one event. `undecidable`: deciding threw, and the step was parked for a person.
 */
export type Outcome =
  | { readonly applied: true; readonly changes: readonly Change[] }
  | {
      readonly applied: false;
      readonly reason: Rejection | "undecidable";
      readonly cause?: unknown;
    };

/**
 * What became of a reported event. `outputFault`: the output breaks the contract of the operation,
 * so the step counts as failed. `unknown_task`: there is no such task, or another transaction has
 * locked it. `unusable_task`: its definition or its rows cannot be used, so it was parked.
 * `version_changed`: the task has not the version that the caller expects.
 */
export type EventOutcome =
  | (Outcome & { readonly outputFault?: ContractFault })
  | {
      readonly applied: false;
      readonly reason: "unknown_task" | "unusable_task" | "version_changed";
      readonly cause?: undefined;
    };

/** A task as its store has it at the moment of the decision. */
export interface VersionedTask extends Urgency {
  readonly task: Task;
  readonly version: number;
  /** The queue that the submitter wants status messages in; null: none. */
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  /** The instant since which it is paused; null or absent: it is not. */
  readonly pausedAt?: Instant | null;
  /** The trace that it belongs to, as `traceText` writes it; null or absent: none. */
  readonly traceContext?: string | null;
}

/** A task that was decided about, and every move that led there. */
export interface DecidedTask {
  readonly before: VersionedTask;
  readonly after: Task;
  readonly changes: readonly Change[];
  /** What was asked of the task as a whole, such as `pause`: an entry of its history. */
  readonly acts: readonly TaskAct[];
  /**
   * What an alert says, by step, beside the code if the task halts. Absent: the codes say it all.
   */
  readonly haltDetails?: ReadonlyMap<string, string>;
}

/** A request about a task as a whole, by the name that it has in the history. */
export interface TaskAct {
  readonly action: string;
  readonly reason: string | null;
}

/** One attempt at one step of one task. */
export interface AttemptOfTask {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
}

/** A step that a claim may take: its lane, and its place in the due order there. */
export interface DueStep {
  readonly lane: string;
  readonly band: Band;
  readonly rank: Instant;
}

/** A step that a decision makes due. */
export interface DueStepOfTask extends Omit<DueStep, "rank"> {
  readonly taskId: string;
  readonly name: string;
  /** The rank; null: the state store gives it one, by its fairness key. */
  readonly rank: Instant | null;
}
