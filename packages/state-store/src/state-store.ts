import type {
  Milliseconds,
  ReportedTaskEvent,
  TaskState,
  WorkflowDefinition,
} from "@holdfast/domain";
import type { AppliedEvents, ApplyOptions } from "./apply/apply-together.ts";
import type { CallFacts } from "./apply/load-calls.ts";
import type { LoadedValues, ValuesOptions } from "./apply/load-values.ts";
import type { RejectedReply } from "./apply/rejected-replies.ts";
import type {
  Breaker,
  BreakerWish,
  FailingService,
  ProbeOutcome,
  Throttle,
} from "./breakers/breakers.ts";
import type { ProbeOptions } from "./breakers/claim-probe.ts";
import type { RemoteRecord } from "./breakers/find-remotes.ts";
import type { BulkStore } from "./bulk/bulk-store.ts";
import type { AttemptSignOfTask } from "./claim/attempt-signs.ts";
import type { AttemptKey, ClaimedStep, ClaimOptions, RelayOptions } from "./claim/claimed-step.ts";
import type { StepsInFlight } from "./claim/count-steps-in-flight.ts";
import type { Heartbeat, LaneSlots } from "./claim/heartbeats.ts";
import type { StagedSteps } from "./claim/stage-due-steps.ts";
import type { Expired, ExpiredOptions } from "./expire/find-expired.ts";
import type { StalledOptions, StalledTasks } from "./expire/find-stalled.ts";
import type { Asked, OutagePart, ProbeWish, Proof } from "./expire/reply-paths.ts";
import type { Violation } from "./inspect/find-invariant-violations.ts";
import type { KeptStandstill } from "./inspect/standstills.ts";
import type { DeadLetterStore } from "./letters/dead-letter-store.ts";
import type { LookStore } from "./look/look-store.ts";
import type { DeadLetter } from "./outbox/dead-letters.ts";
import type { Notification } from "./outbox/notifications.ts";
import type { TakenNotification, TakeOptions } from "./outbox/outbox.ts";
import type { Pause, PauseWish } from "./pause/pauses.ts";
import type { PageWish, TaskCount, TaskFilter, TaskPage } from "./read/list-tasks.ts";
import type { TaskStore } from "./read/read-task.ts";
import type { DroppedMessages, Keeping, OldMonth, SweptKeys } from "./retention/retention.ts";
import type { StatisticsStore } from "./statistics/statistics-store.ts";
import type { InboxStore } from "./submit/inbox.ts";
import type { NewTask } from "./submit/new-task.ts";
import type { Submitted } from "./submit/submit-tasks.ts";
import type { ContractDifference, ContractsAsked } from "./workflows/contract-differences.ts";
import type {
  ActivationWish,
  AwaitingWorkflow,
  KnownAgent,
  WorkflowRecord,
  WorkflowWish,
} from "./workflows/stored-workflows.ts";
import type { RegistrationOptions, StoredWorkflow } from "./workflows/workflow-catalog.ts";

/**
 * The durable record of every task and step.
 *
 * Durations are milliseconds, instants milliseconds since 1970 on the store's clock, unless a method says
 * otherwise. Every method throws a `Fault`. `store.unavailable`, `store.contention` and `store.outcome_unknown`
 * are transient: the operation may have been carried out or not. Methods marked "safe to repeat" may then be
 * called again with the same arguments. Methods retry for about five seconds on their own before they throw.
 */
export interface StateStore
  extends BulkStore,
    DeadLetterStore,
    InboxStore,
    LookStore,
    StatisticsStore,
    TaskStore,
    AsyncDisposable {
  /**
   * Writes tasks with all their steps, and their orders, in one transaction: all of them or none. Safe to repeat
   * with an idempotency key; without one, `store.outcome_unknown` may lead to a second task. Throws
   * `workflow.unknown`, and `store.refused` for a value that the store cannot hold.
   */
  submitTasks(
    tasks: readonly NewTask[],
    options: { readonly actor: string },
  ): Promise<readonly Submitted[]>;
  /** Puts messages to submitters whose tasks were refused into the outbox, exactly once. */
  enqueueRefusals(notifications: readonly Notification[]): Promise<void>;

  /**
   * Applies reported events in one transaction: locks and loads their tasks, has the domain decide, saves. Safe to
   * repeat: the fence rejects what was applied before. A task that cannot be decided about or saved is parked
   * and affects no other. Late, double and foreign events are outcomes, not errors.
   */
  applyEvents(
    reportedEvents: readonly ReportedTaskEvent[],
    options: ApplyOptions,
  ): Promise<AppliedEvents>;
  /**
   * Loads inputs and outputs, by task, as many as there is room for. Values that are too long are null, with a `problem`.
   * Safe to repeat.
   */
  loadValues(options: ValuesOptions): Promise<ReadonlyMap<string, LoadedValues>>;
  /** Loads the calls of tasks that are being undone. Safe to repeat. */
  loadCalls(params: { readonly taskIds: readonly string[] }): Promise<readonly CallFacts[]>;
  /** Keeps replies that changed nothing. Safe to repeat: the same reply is kept once. */
  recordRejectedReplies(replies: readonly RejectedReply[]): Promise<void>;

  /**
   * Claims due steps in their due order, with SKIP LOCKED: fewer than asked for, or none, if other Schedulers
   * were quicker. Not safe to repeat: if the answer is lost, the steps are claimed, and the relay publishes them.
   */
  claimDueSteps(options: ClaimOptions): Promise<readonly ClaimedStep[]>;
  /**
   * Makes steps claimable whose delay is over; returns when to call again at the latest. Safe to repeat.
   */
  stageDueSteps(): Promise<StagedSteps>;
  /** Takes over requests whose dispatch was not marked in time. Not safe to repeat: see `claimDueSteps`. */
  takeUndispatchedSteps(options: RelayOptions): Promise<readonly ClaimedStep[]>;
  /** Records that the broker confirmed requests. Safe to repeat; ignores attempts that are over. */
  markDispatchedSteps(steps: readonly AttemptKey[]): Promise<void>;
  /** Has all requests in flight that can still be begun published again; returns how many. Safe to repeat. */
  undispatchSteps(): Promise<number>;
  /** Counts the steps in flight of each Agent that has some; `own` are those of `lockedBy`. Safe to repeat. */
  countStepsInFlight(params: { readonly lockedBy: string }): Promise<readonly StepsInFlight[]>;
  /** The Agents that are paused, or of which every instance has an open breaker: others of their pools get their steps. Safe to repeat. */
  findUnavailableAgents(): Promise<readonly string[]>;
  /** Keeps the last heartbeat of each instance. Safe to repeat. */
  recordHeartbeats(heartbeats: readonly Heartbeat[]): Promise<void>;
  /**
   * Records what Agents say of the attempts that they are at work on, which moves the deadlines of these. Ignores
   * attempts that are over, and wrong tokens. Safe to repeat.
   */
  recordAttemptSigns(signs: readonly AttemptSignOfTask[]): Promise<void>;
  /** The slots that the living instances of each Agent advertise. Safe to repeat. */
  findAgentSlots(): Promise<readonly LaneSlots[]>;

  /** The breakers of remote services that hold something back, or did in the last minute. Safe to repeat. */
  findBreakers(): Promise<readonly Breaker[]>;
  /** The remote services of Agents that wrap one of another name than their own. Safe to repeat. */
  findAgentServices(): Promise<readonly { readonly agent: string; readonly service: string }[]>;
  /** Remote services with a closed breaker whose Agents' instances all have an open circuit. Safe to repeat. */
  findBrokenServices(): Promise<
    readonly { readonly service: string; readonly instances: number }[]
  >;
  /** All remote services, with what their breakers hold back. Safe to repeat. */
  findRemotes(): Promise<readonly RemoteRecord[]>;
  /** Opens closed breakers, and alerts an operator. Returns how many were closed. Takes effect exactly once. */
  openBreakers(params: {
    readonly services: readonly FailingService[];
    readonly actor: string;
  }): Promise<number>;
  /** Has all Schedulers leave remote services alone, as they have asked. Safe to repeat. */
  throttleServices(params: {
    readonly throttles: readonly Throttle[];
    readonly actor: string;
  }): Promise<void>;
  /** Claims the one step with which an open breaker is tried. Not safe to repeat: see `claimDueSteps`. */
  claimProbe(options: ProbeOptions): Promise<ClaimedStep | null>;
  /** Closes or opens breakers by what their probes have shown. Safe to repeat. */
  endProbes(params: {
    readonly outcomes: readonly ProbeOutcome[];
    readonly actor: string;
  }): Promise<void>;
  /** Opens a breaker until an operator closes it. False: it is held open already. Takes effect exactly once. */
  holdBreakerOpen(wish: BreakerWish): Promise<boolean>;
  /** Closes a breaker. False: it held nothing back. Takes effect exactly once. */
  closeBreaker(wish: BreakerWish): Promise<boolean>;
  /** Finds overdue steps and tasks, at most `batch` of each, without locks. Safe to repeat. */
  findExpired(options: ExpiredOptions): Promise<Expired>;
  /**
   * Notes that probes are sent to queues of replies, because of silence that began `silentFor` milliseconds ago, and what
   * the last ones met with. Safe to repeat.
   */
  askForProof(wish: {
    readonly probes: readonly ProbeWish[];
    readonly silentFor: Milliseconds;
  }): Promise<readonly Asked[]>;
  /** Notes that probes have arrived; those that were long on their way show an outage. Safe to repeat. */
  recordProofs(proofs: readonly Proof[]): Promise<void>;
  /** Remembers that something may not have arrived for the last `lasted` milliseconds. Safe to repeat. */
  rememberOutage(outage: {
    readonly part: OutagePart;
    readonly lasted: Milliseconds;
  }): Promise<void>;
  /** Alerts a person that replies do not arrive in this queue, once for each time that this begins. Takes effect exactly once. */
  raisePathAlert(alert: { readonly queue: string; readonly detail: string }): Promise<void>;
  /** Finds tasks that nothing will move, among the next few unfinished ones. Safe to repeat. */
  findStalledTasks(options: StalledOptions): Promise<StalledTasks>;

  /** Stops claims of an Agent or a workflow. False: it was paused already. Takes effect exactly once. */
  pause(wish: PauseWish): Promise<boolean>;
  /** Ends a pause. False: it was not paused. Takes effect exactly once. */
  resume(wish: PauseWish): Promise<boolean>;
  /** The pauses, those in force first. Safe to repeat. */
  findPauses(): Promise<readonly Pause[]>;
  /**
   * Parks a batch of steps of paused workflows and releases a batch of resumed ones; returns how many moved.
   * Call it until it returns 0.
   */
  applyPauses(): Promise<number>;

  /**
   * Stores a definition under its name. Safe to repeat. Throws `workflow.changed` if another content has that
   * name, `workflow.invalid` if no Scheduler could use it, `workflow.contract_breaks` if its Agents could not read what
   * workflows in use ask for, unless that is allowed.
   */
  registerWorkflow(
    definition: WorkflowDefinition,
    options?: RegistrationOptions,
  ): Promise<"created" | "same">;
  /** All stored workflows, without their definitions. */
  findWorkflows(): Promise<readonly WorkflowRecord[]>;
  /**
   * Makes a version what the name of its workflow means, also one that is retired. False: it is not stored, or does not await
   * its Agents any more. Refused to the login of submission.
   */
  activateWorkflow(wish: ActivationWish): Promise<boolean>;
  /** Which of these versions are what their names without a version mean. Safe to repeat. */
  findActiveVersions(params: { readonly names: readonly string[] }): Promise<ReadonlySet<string>>;
  /** The versions that are to be activated as soon as their Agents are known. Safe to repeat. */
  findAwaitingWorkflows(): Promise<readonly AwaitingWorkflow[]>;
  /** Every Agent that has ever sent a heartbeat. */
  findKnownAgents(): Promise<readonly KnownAgent[]>;
  /** Finds where instances of Agents differ from what stored workflows need. Safe to repeat. */
  findContractDifferences(asked: ContractsAsked): Promise<readonly ContractDifference[]>;
  /**
   * Has a workflow take no new tasks; tasks under way go on. If it was active, the version is that was active before, or else
   * the newest. False: there is none that takes any.
   */
  retireWorkflow(wish: WorkflowWish): Promise<boolean>;
  /** Has a retired workflow take new tasks again. False: there is no retired one of that name. */
  reinstateWorkflow(wish: { readonly name: string }): Promise<boolean>;
  /** A page of tasks, newest first. It reads a bounded number of rows, whatever the history. */
  listTasks(filter: TaskFilter & PageWish): Promise<TaskPage>;
  /** How many tasks match, of half a million at most. Safe to repeat. */
  countMatchingTasks(filter: TaskFilter): Promise<TaskCount>;
  /** Finds those of these tasks that have ended. Safe to repeat. */
  findFinishedTasks(params: { readonly taskIds: readonly string[] }): Promise<readonly string[]>;
  /** Finds a workflow; null: no definition is stored under that name, or it cannot be used. Safe to repeat. */
  findWorkflow(name: string): Promise<StoredWorkflow | null>;
  /** Safe to repeat. */
  findWorkflowNames(): Promise<readonly string[]>;
  /** The Agents that stored workflows name. Safe to repeat. */
  findLanes(): Promise<readonly string[]>;
  /** How many tasks there are in each state. Reads them all: for tests and people. Safe to repeat. */
  countTasks(): Promise<Partial<Record<TaskState, number>>>;
  /** Finds at most `batch` breaches of invariants. Reads everything: for tests and people. Safe to repeat. */
  findInvariantViolations(params: { readonly batch: number }): Promise<readonly Violation[]>;

  /**
   * Leases notifications in the order in which they must be sent: for `lease` no other Scheduler gets them. Not
   * safe to repeat: if the answer is lost, they are free again after the lease.
   */
  takeNotifications(options: TakeOptions): Promise<readonly TakenNotification[]>;
  /** Deletes sent notifications. `delivered`: those that a queue received. Safe to repeat. */
  deleteNotifications(notifications: {
    readonly ids: readonly string[];
    readonly delivered: readonly string[];
  }): Promise<void>;
  /** Deletes notifications that could not be sent for too long; returns how many. Safe to repeat. */
  deleteStaleNotifications(): Promise<number>;
  /** Keeps unreadable messages, exactly once, and alerts an operator once a minute for each queue and reason. */
  recordDeadLetters(letters: readonly DeadLetter[]): Promise<void>;
  /** Replaces what is kept of the standstills of one Scheduler. Safe to repeat. */
  recordStandstills(params: {
    readonly instance: string;
    readonly standstills: readonly KeptStandstill[];
  }): Promise<void>;

  /** Makes the partitions of this month and the next; returns those that it made. Safe to repeat. */
  makePartitions(): Promise<readonly string[]>;
  /** The months that ended more than `keep` ago. Safe to repeat. */
  findOldMonths(params: { readonly keep: number }): Promise<readonly OldMonth[]>;
  /** Deletes a batch of finished tasks of a month that must stay; returns how many. Safe to repeat. */
  deleteFinishedTasks(params: Keeping & { readonly month: string }): Promise<number>;
  /** Drops the partitions of a month. False: it holds tasks to be kept, or its tables are in use. Safe to repeat. */
  dropMonth(params: { readonly month: string; readonly keep: number }): Promise<boolean>;
  /**
   * Looks at the next `batch` business keys, from where the last look of any process stopped, and deletes those whose
   * tasks have ended or are gone. Safe to repeat.
   */
  deleteFreeBusinessKeys(params: { readonly batch: number }): Promise<SweptKeys>;
  /** Deletes a batch of expired idempotency keys; returns how many. Takes effect exactly once. */
  deleteExpiredKeys(params: { readonly batch: number }): Promise<number>;
  /** Deletes a batch of fairness keys that the queue has passed; returns how many. Safe to repeat. */
  deletePassedFairnessKeys(params: { readonly batch: number }): Promise<number>;
  /** Deletes a batch of old alerts of tasks that are gone, and of ended pauses; returns how many. Takes effect exactly once. */
  deleteOldRecords(keeping: Keeping): Promise<number>;
  /** Deletes a batch of old rejected replies and dead letters; returns how many. Takes effect exactly once. */
  deleteOldMessages(keeping: Keeping): Promise<number>;
  /** Deletes the oldest kept messages of each sender above `mostBytes`. Takes effect exactly once. */
  deleteExcessMessages(params: {
    readonly mostBytes: number;
    readonly batch: number;
  }): Promise<readonly DroppedMessages[]>;
  /**
   * Resolves to the instant since which the store's clock has been more than a day ahead of its last check; null: it
   * is not. Safe to repeat.
   */
  lookAtClock(): Promise<number | null>;
  /** Resolves if the store answers and accepts writes. */
  ping(): Promise<void>;
}
