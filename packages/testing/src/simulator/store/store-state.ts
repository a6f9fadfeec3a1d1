import type {
  AwaitingStep,
  BreakerState,
  Change,
  FairClock,
  Instant,
  ProcessingStep,
  WorkflowDefinition,
} from "@holdfast/domain";
import type {
  Heartbeat,
  OutagePart,
  ReportedTaskEvent,
  StoredSignal,
  StoredWorkflow,
  WorkflowRecord,
} from "@holdfast/state-store";
import { type Domain, realDomain } from "./domain.ts";
import { memoryPauses } from "./memory-pauses.ts";
import type { Move, StoredTask } from "./memory-task.ts";
import type { StoredBreaker } from "./stored-breaker.ts";
import type { DecisionRow } from "./stored-decisions.ts";
import type { MailboxRow } from "./stored-signals.ts";

/** Sees what the store saves, in its order. */
export interface StoreWatcher {
  submitted(stored: StoredTask, definition: WorkflowDefinition): void;
  claimed(stored: StoredTask, step: ProcessingStep): void;
  confirmed(stored: StoredTask, step: ProcessingStep): void;
  resent(stored: StoredTask, step: ProcessingStep): void;
  /** The Agent of an attempt said that it is at work; `step` has the deadline that follows. */
  signed?(stored: StoredTask, step: ProcessingStep): void;
  /** A signal came to a task; also one that no step can take. */
  signalled?(stored: StoredTask, signal: StoredSignal): void;
  /** What one of an audience has said about a step is counted. */
  counted?(stored: StoredTask, decision: DecisionRow): void;
  /** A step that people decide has them reminded. */
  reminded?(stored: StoredTask, step: AwaitingStep): void;
  /** A signal is held for the task of a business key. */
  held?(row: MailboxRow): void;
  decided(stored: StoredTask, reports: readonly Report[]): void;
  /** The breaker of a remote service came into this state. */
  breaker?(service: string, state: BreakerState): void;
  /** The breaker of a remote service is tried with this attempt. */
  probed?(service: string, probe: NonNullable<StoredBreaker["probe"]>): void;
}

/** A reported event and the moves that it led to. */
export interface Report {
  readonly reportedEvent: ReportedTaskEvent;
  readonly changes: readonly Change[];
}

export interface MemoryStoreOptions {
  /** Milliseconds since 1970: the store's clock. */
  readonly now: () => Instant;
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  readonly newId: () => string;
  /** Whether a row happens to be locked by another transaction, for operations that do not wait. */
  readonly isLocked?: () => boolean;
  readonly domain?: Domain;
  readonly watchers?: readonly StoreWatcher[];
}

/** All that the tables hold, and what every operation on them uses. */
export interface StoreState extends Required<MemoryStoreOptions> {
  readonly workflows: Map<string, StoredWorkflow>;
  /** What is decided about each of them, by name, in the order in which they were stored. */
  readonly versions: Map<string, WorkflowRecord>;
  readonly tasks: Map<string, StoredTask>;
  /** Submissions by idempotency key. */
  readonly submissions: Map<string, { readonly hash: string; readonly taskId: string }>;
  /** Signals that wait for their tasks, the oldest first. */
  readonly mailbox: MailboxRow[];
  /** What is remembered of each fairness key, by lane and band. */
  readonly fairnessClocks: Map<string, ReadonlyMap<string, FairClock>>;
  /** Breakers by remote service. */
  readonly breakers: Map<string, StoredBreaker>;
  readonly history: Move[];
  /** The last heartbeat of each instance and the end of its life, by Agent and instance. */
  readonly heartbeats: Map<string, { readonly beat: Heartbeat; readonly livesUntil: Instant }>;
  readonly pauses: ReturnType<typeof memoryPauses>;
  /**
   * The state of each queue of replies: since when a probe is on its way and silence is to be
   * judged, and what the last one proved.
   */
  readonly replyPaths: Map<string, ReplyPath>;
  /** When something may not have arrived. */
  readonly outages: Outage[];
}

/** What is known of the way to a queue of replies. */
interface ReplyPath {
  readonly asked: { readonly at: Instant; readonly silentSince: Instant } | null;
  /** When the last probe was sent that arrived; minus infinity: none has. */
  readonly provenAt: Instant;
}

interface Outage {
  readonly part: OutagePart;
  readonly from: Instant;
  readonly to: Instant;
}

/** Empty tables. */
export const emptyState = (options: MemoryStoreOptions): StoreState => ({
  now: options.now,
  random: options.random,
  newId: options.newId,
  isLocked: options.isLocked ?? (() => false),
  domain: options.domain ?? realDomain,
  watchers: options.watchers ?? [],
  workflows: new Map(),
  versions: new Map(),
  tasks: new Map(),
  submissions: new Map(),
  mailbox: [],
  fairnessClocks: new Map(),
  breakers: new Map(),
  history: [],
  heartbeats: new Map(),
  pauses: memoryPauses(options.now),
  replyPaths: new Map(),
  outages: [],
});

/** The steps in processing, with their tasks. */
export function processingSteps({ tasks }: StoreState): (readonly [StoredTask, ProcessingStep])[] {
  const found: (readonly [StoredTask, ProcessingStep])[] = [];
  for (const stored of tasks.values()) {
    for (const step of stored.task.steps.values()) {
      if (step.processState === "processing") found.push([stored, step]);
    }
  }
  return found;
}

/** The smallest of these numbers; null: there is none. */
export const least = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : Math.min(...numbers);

/** `not_before` of a step that waits for its workflow to be resumed. */
export const parkedUntil = Number.POSITIVE_INFINITY;
