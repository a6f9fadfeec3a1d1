import { approvalOutput } from "./approval.ts";
import type {
  AttemptOfTask,
  DecidedTask,
  DueStepOfTask,
  EventOutcome,
  Outcome,
  ReportedEvent,
  ReportedTaskEvent,
  TaskAct,
  VersionedTask,
} from "./batch.ts";
import { decide } from "./decide.ts";
import type { DecisionContext } from "./decision.ts";
import { bandOfStep, changedSteps, laneOf, rankOf } from "./due-order.ts";
import type { FaultCode } from "./fault-codes.ts";
import { type ContractFault, replyFaults } from "./faults.ts";
import type { Json } from "./json.ts";
import type { AwaitingStep, Instant, Step } from "./step.ts";
import { audienceOf, faultAtEnd, remindAfterOf, signalOf } from "./step-kinds.ts";
import type { Change } from "./step-transitions.ts";
import { stepsOf, type Task } from "./task.ts";
import type { TaskEvent, WaitEnder } from "./task-event.ts";
import {
  type NotificationOptions,
  notificationsOf,
  type TaskNotification,
} from "./task-notifications.ts";
import { lookupIn, type TaskValues } from "./template.ts";
import { refsOfDecisive } from "./wait-time.ts";
import { hasConditions, hasWaits } from "./workflow-plan.ts";

export interface BatchOptions
  extends Pick<DecisionContext, "now" | "random">,
    Pick<NotificationOptions, "events"> {
  /** Tasks that exist but cannot be decided about, by their ids. */
  readonly unusable?: ReadonlySet<string>;
  /**
   * What the conditions of a task may look at; null: its payloads were not loaded. Asked only if it
   * has conditions.
   */
  readonly valuesOf: (taskId: string) => TaskValues | null;
  /** The completed steps whose output breaks the contract of its operation, and why. */
  readonly outputFaults: ReadonlyMap<ReportedTaskEvent, ContractFault>;
  /** Requests that were given back because the instance that had them cannot read them. */
  readonly unreadable?: ReadonlyMap<ReportedTaskEvent, Unreadable>;
  /** How the events of one task are decided. Tests put mutants here. */
  readonly fold?: typeof foldEvents;
}

/** A request that an instance gave back because it cannot read it. */
export interface Unreadable {
  /** Whether another running instance may read it. */
  readonly where: "here" | "everywhere";
  /** Text for people: which instance has which contract, and what to do. */
  readonly detail: string;
}

/** All that follows from a batch: what is to be saved, and what is to be sent once it is saved. */
export interface DecidedBatch {
  /** One for each reported event, in their order. */
  readonly outcomes: readonly EventOutcome[];
  /** One for each task, in their order, whether it changed or not. */
  readonly decided: readonly DecidedTask[];
  /** Tasks that changed. */
  readonly changed: readonly DecidedTask[];
  /** The events that were applied, whose payloads are to be saved. */
  readonly applied: readonly ReportedTaskEvent[];
  readonly notifications: readonly TaskNotification[];
  /** Attempts whose results no longer matter, because their tasks are now being undone. */
  readonly obsoleteAttempts: readonly AttemptOfTask[];
  readonly dueSteps: readonly DueStepOfTask[];
  /** When the first of the waits ends that the batch begins; null: it begins none. */
  readonly firstWaitEnd: Instant | null;
}

/**
 * Decides a batch of reported events, each task by itself. Pure; one task's error never affects
 * another.
 */
export function decideBatch(
  tasks: readonly VersionedTask[],
  reported: readonly ReportedTaskEvent[],
  options: BatchOptions,
): DecidedBatch {
  const byTask = Map.groupBy(reported, ({ taskId }) => taskId);
  const outcomes = new Map<ReportedTaskEvent, EventOutcome>();
  const applied: ReportedTaskEvent[] = [];
  const decided = tasks.map((before): DecidedTask => {
    const one = decideTask(before, byTask.get(before.task.taskId) ?? [], options);
    for (const [event, outcome] of one.outcomes) outcomes.set(event, outcome);
    applied.push(...one.applied);
    return one.decided;
  });
  const changed = decided.filter(({ before, after }) => before.task !== after);
  return {
    outcomes: reported.map((event) => outcomes.get(event) ?? undecided(event, options)),
    decided,
    changed,
    applied,
    notifications: changed.flatMap((one) => notificationsOf(one, options)),
    obsoleteAttempts: changed.flatMap(obsoleteAttemptsOf),
    dueSteps: changed.flatMap((one) => dueStepsOf(one, options.now)),
    firstWaitEnd: firstWaitEndOf(changed, options.now),
  };
}

/**
 * When it is to be looked at first: a signal that it waits for may be there already, and people are
 * to be reminded.
 */
function firstEndOf({ plan, notBefore }: AwaitingStep, now: Instant): readonly Instant[] {
  if (signalOf(plan) !== null) return [now];
  const remindAfter = remindAfterOf(plan);
  const reminder = remindAfter === null ? null : now + remindAfter;
  return [notBefore, reminder].filter((instant) => instant !== null);
}

function firstWaitEndOf(changed: readonly DecidedTask[], now: Instant): Instant | null {
  const ends = changed
    .filter(({ after }) => hasWaits(after.workflow))
    .flatMap(({ changes }) => changes.filter(({ action }) => action === "open"))
    .flatMap(({ step }) => (step.processState === "awaiting" ? firstEndOf(step, now) : []));
  return ends.length === 0 ? null : Math.min(...ends);
}

const undecided = ({ taskId }: ReportedTaskEvent, { unusable }: BatchOptions): EventOutcome =>
  unusable?.has(taskId) === true ? unusableTask : unknownTask;

const versionChanged = { applied: false, reason: "version_changed" } as const;
const unknownTask = { applied: false, reason: "unknown_task" } as const;
const unusableTask = { applied: false, reason: "unusable_task" } as const;
const noValues: TaskValues = { input: null, outputs: new Map() };

interface DecidedEvents {
  readonly decided: DecidedTask;
  readonly outcomes: readonly (readonly [ReportedTaskEvent, EventOutcome])[];
  readonly applied: readonly ReportedTaskEvent[];
}

function decideTask(
  before: VersionedTask,
  reported: readonly ReportedTaskEvent[],
  { now, random, valuesOf, outputFaults, unreadable, fold = foldEvents }: BatchOptions,
): DecidedEvents {
  const { task, version } = before;
  const isOutdated = ({ expectedVersion = version }: ReportedTaskEvent) =>
    expectedVersion !== version;
  const current = reported.filter((event) => !isOutdated(event));
  const events = current.map((event) =>
    completedBy(
      givenBack(unreadable?.get(event), failedBy(outputFaults.get(event), event)),
      before,
      now,
    ),
  );
  const values = hasConditions(task.workflow) ? valuesOf(task.taskId) : noValues;
  const folded = fold(task, events, { now, random, values });
  const applied = events.filter((_, index) => folded.outcomes[index]!.applied);
  const acts = applied.flatMap(({ event }) => actsOf(event));
  return {
    decided: {
      before,
      after: folded.task,
      changes: folded.changes,
      acts,
      ...haltDetailsOf(applied),
    },
    outcomes: [
      ...reported.filter(isOutdated).map((event) => [event, versionChanged] as const),
      ...current.map((event, index) => {
        const outcome = folded.outcomes[index]!;
        const outputFault = outputFaults.get(event);
        return [event, outputFault === undefined ? outcome : { ...outcome, outputFault }] as const;
      }),
    ],
    applied,
  };
}

/** What alerts quote: Holdfast's own words, which have no values in them. */
function haltDetailsOf(applied: readonly ReportedTaskEvent[]): Pick<DecidedTask, "haltDetails"> {
  if (!applied.some(({ event }) => event.kind === "failed")) return {};
  const faults = applied.flatMap(({ event, faultDetail }) =>
    event.kind === "failed" &&
    faultDetail !== undefined &&
    (replyFaults.has(event.code) || event.unreadable === "everywhere")
      ? [[event.step, faultDetail] as const]
      : [],
  );
  return faults.length === 0 ? {} : { haltDetails: new Map(faults) };
}

/** An output that breaks its contract halts its task: the Agent would return the same again. */
function failedBy(
  outputFault: ContractFault | undefined,
  reported: ReportedTaskEvent,
): ReportedTaskEvent {
  const { taskId, event } = reported;
  if (outputFault === undefined || event.kind !== "completed") return reported;
  const failure = {
    transient: false,
    attempted: true,
    effect: "unknown",
    retryAfter: null,
  } as const;
  const failed = { ...event, ...failure, kind: "failed", code: outputFault.code } as const;
  return { taskId, event: failed, faultDetail: outputFault.message };
}

/**
 * Nothing was attempted, whatever the Agent calls it: the request goes to another instance, or to a
 * person.
 */
function givenBack(
  unreadable: Unreadable | undefined,
  reported: ReportedTaskEvent,
): ReportedTaskEvent {
  const { taskId, event } = reported;
  if (unreadable === undefined || event.kind !== "failed") return reported;
  const code = "step.request_unreadable" satisfies FaultCode;
  return {
    taskId,
    event: { ...event, code, transient: true, attempted: false, unreadable: unreadable.where },
    faultDetail: unreadable.detail,
  };
}

/** What of an event only the store knows, or the domain alone. */
function completedBy(
  reported: ReportedTaskEvent,
  { task, pausedAt = null }: VersionedTask,
  now: Instant,
): ReportedTaskEvent {
  const { event } = reported;
  if (event.kind === "waitEnded") return withEnd(reported, event, task.steps.get(event.step), now);
  if (event.kind !== "resumed" || pausedAt === null) return reported;
  return { ...reported, event: { ...event, pausedFor: now - pausedAt } };
}

/**
 * What a step that waited returns: what ended it, when, and what the signal carried. One that fails
 * says what did not come.
 */
function withEnd(
  reported: ReportedTaskEvent,
  { by }: Extract<TaskEvent, { kind: "waitEnded" }>,
  step: Step | undefined,
  now: Instant,
): ReportedTaskEvent {
  if (step?.processState !== "awaiting" || by === "rejection") return reported;
  if (failsBy(step, by)) {
    const { output: _none, ...rest } = reported;
    return { ...rest, faultDetail: faultOfEnd(step) };
  }
  const end = { fired: by, at: new Date(now).toISOString() };
  return { ...reported, output: { ...end, ...broughtTo(step, reported.output) } };
}

/** Whether a step that awaits fails by what ends it. */
const failsBy = (step: AwaitingStep, by: WaitEnder): boolean =>
  by === "deadline" ? faultAtEnd(step) !== null : by === "approval" && step.faultCode !== null;

/** What the end of a wait brings besides itself. */
function broughtTo({ plan }: AwaitingStep, brought: Json | undefined): object {
  if (signalOf(plan) !== null) return { payload: brought ?? null };
  return audienceOf(plan) === null ? {} : Object(brought ?? approvalOutput([]));
}

function faultOfEnd({ plan, faultCode }: AwaitingStep): string {
  if (faultCode === null) {
    const audience = audienceOf(plan);
    return audience === null
      ? `no signal ${signalOf(plan)} came in time`
      : `${audience} did not decide in time`;
  }
  const pointers = refsOfDecisive({ ...plan, onlyIf: null });
  const source = pointers.length === 0 ? "its until" : `the value of ${pointers.join(", ")}`;
  const wanted =
    audienceOf(plan) === null
      ? "no instant with its zone, such as 2026-11-24T10:00:00Z"
      : "no id of who may not decide";
  return `${source} is missing, or is ${wanted}: have the earlier step return one, or cancel the task`;
}

/** Whether an event may have steps begin whose conditions and times depend on values. */
export const makesDone = ({ event }: Pick<ReportedEvent, "event">): boolean =>
  event.kind === "completed" || event.kind === "resolved" || event.kind === "waitEnded";

/** What is asked of a task as a whole, by the name that it has in the history. */
const taskActs: Partial<Readonly<Record<TaskEvent["kind"], string>>> = {
  undoRequested: "undo",
  limitPassed: "undo",
  paused: "pause",
  resumed: "resume",
};

function actsOf(event: TaskEvent): readonly TaskAct[] {
  const action = taskActs[event.kind];
  if (action === undefined) return [];
  if (event.kind === "limitPassed") return [{ action, reason: "task.expired" }];
  return [{ action, reason: "code" in event ? event.code : null }];
}

/** The attempts that are in flight when a task turns to its undo. */
function obsoleteAttemptsOf({ before, after }: DecidedTask): readonly AttemptOfTask[] {
  if (before.task.goal === after.goal) return [];
  const { taskId } = after;
  return stepsOf(after).flatMap((step) =>
    step.processState === "processing"
      ? [{ taskId, step: step.plan.name, attempt: step.attempt, token: step.token }]
      : [],
  );
}

/** The steps that a decision makes due. */
const dueStepsOf = ({ before, after }: DecidedTask, now: Instant): readonly DueStepOfTask[] =>
  changedSteps(before.task, after).flatMap((step) =>
    step.processState === "pending" && step.notBefore <= now
      ? [
          {
            taskId: after.taskId,
            name: step.plan.name,
            lane: laneOf(step),
            band: bandOfStep(step, before),
            rank: rankOf(step, before, now),
          },
        ]
      : [],
  );

export interface Folded {
  readonly task: Task;
  readonly changes: readonly Change[];
  /** One for each event, in their order. */
  readonly outcomes: readonly Outcome[];
}

interface FoldOptions extends Pick<DecisionContext, "now" | "random"> {
  /** What the task's conditions may look at, as far as it is saved; null: nothing may be seen. */
  readonly values: TaskValues | null;
}

/**
 * Decides events one after the other, each on the task that the one before it left: a batch may
 * well hold both branches of a join, or one reply twice. What cannot be decided parks its own step,
 * and no other task of the batch suffers for it.
 */
export function foldEvents(
  task: Task,
  reported: readonly ReportedEvent[],
  { now, random, values }: FoldOptions,
): Folded {
  let current = task;
  let known = values;
  const changes: Change[] = [];
  const outcomes = reported.map((report): Outcome => {
    const returned = withOutput(known, report);
    const context = { now, random, valueOf: returned === null ? null : lookupIn(returned) };
    const { task: next, outcome, moves } = foldOne(current, report.event, context);
    current = next;
    if (outcome.applied) known = returned;
    changes.push(...moves);
    return outcome;
  });
  return { task: current, changes, outcomes };
}

function withOutput(
  values: TaskValues | null,
  { event, output }: ReportedEvent,
): TaskValues | null {
  if (values === null || output === undefined || !("step" in event)) return values;
  return { ...values, outputs: new Map(values.outputs).set(event.step, output) };
}

interface Fold {
  readonly task: Task;
  readonly outcome: Outcome;
  readonly moves: readonly Change[];
}

function foldOne(task: Task, event: TaskEvent, context: DecisionContext): Fold {
  try {
    const decision = decide(task, event, context);
    return decision.applied
      ? { task: decision.task, outcome: decision, moves: decision.changes }
      : { task, outcome: decision, moves: [] };
  } catch (cause) {
    const { parked, moves } = park(task, event, context);
    return { task: parked, outcome: { applied: false, reason: "undecidable", cause }, moves };
  }
}

function park(
  task: Task,
  event: TaskEvent,
  context: DecisionContext,
): { parked: Task; moves: readonly Change[] } {
  if (!("token" in event) || event.kind === "claimed") return { parked: task, moves: [] };
  const { step, attempt, token } = event;
  const code = "scheduler.undecidable";
  const decision = decide(task, { kind: "parked", code, step, attempt, token }, context);
  return decision.applied
    ? { parked: decision.task, moves: decision.changes }
    : { parked: task, moves: [] };
}
