import {
  type ApprovalDecision,
  type AttemptOfTask,
  approvalBody,
  approvalOutput,
  decidedBy,
  type EventOutcome,
  type Instant,
  type Json,
  type Milliseconds,
  type ReportedTaskEvent,
  rejectionText,
  remindAfterOf,
  type Step,
  type VersionedTask,
} from "@holdfast/domain";
import { faultOfTask } from "../apply/apply-events.ts";
import { decideLoaded, saveBatch } from "../apply/apply-together.ts";
import { loadTasks, noneCached } from "../apply/load-tasks.ts";
import { readDecisions } from "../approvals/approvals.ts";
import { enqueueNotifications, type Notification } from "../outbox/outbox.ts";
import { composed } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { type Decided, inTransaction, untilQuick, withRetries } from "../postgres/transaction.ts";
import type { StoreContext } from "../store-context.ts";
import { briefReads, type FindWorkflow } from "../workflows/workflow-catalog.ts";

export interface WaitRound {
  /** Who ends the waits: stands in the history. */
  readonly actor: string;
  /** How many waits, at most. */
  readonly most: number;
  /**
   * What the store's clock must say by a clock that does not jump; null: unknown, as in a first
   * round.
   */
  readonly expected: Instant | null;
}

/** What a round has done about waits whose time had come. */
export interface FiredWaits {
  /** Waits that ended, each with the milliseconds by which that was late. */
  readonly fired: readonly {
    readonly taskId: string;
    readonly step: string;
    readonly late: Milliseconds;
  }[];
  /** Waits that were due, and whose tasks could not be decided about now. */
  readonly postponed: number;
  /** Waits that became due by a jump of the clock, and are held; null: it did not jump. */
  readonly held: number | null;
  /** Milliseconds until the next deadline; 0: more are due. Null: nothing waits. */
  readonly nextIn: Milliseconds | null;
  /** The store's clock. */
  readonly now: Instant;
  /** Whether a stored workflow has waits. */
  readonly areUsed: boolean;
  /** Attempts that need not be finished, because their tasks are now being undone. */
  readonly obsoleteAttempts: readonly AttemptOfTask[];
  readonly hasNotifications: boolean;
}

interface DueWait {
  readonly taskId: string;
  readonly step: string;
  /** The name of the signals that end it; null: none does. */
  readonly signal: string | null;
  /** Those who decide it; null: it is for no one to decide. */
  readonly audience: string | null;
  readonly late: Milliseconds;
}

interface TakenWaits {
  readonly due: readonly DueWait[];
  readonly nextIn: number | null;
  readonly now: number;
  readonly areUsed: boolean;
}

const take = query("take-due-waits", rowsOf<TakenWaits>());
const hold = query("hold-waits", rowsOf<{ held: number; alert: string | null }>());
const postpone = query("postpone-waits");

/**
 * How far the store's clock may be ahead of what it must say, in milliseconds: see take-due-waits.
 */
const longestJump = 60_000;
/** How long a wait is left alone whose task is locked, or cannot be decided about. */
const lockedFor: Milliseconds = 500;
const unusableFor: Milliseconds = 60_000;

/**
 * Ends waits whose time has come, by the store's clock, at most `most`: waits and tasks change in
 * one transaction. Locked ones are skipped, so several Schedulers share them. A task that cannot be
 * decided about or saved is looked at again in a minute, and affects no other. Safe to repeat.
 */
export const fireWaits = composed(async (context, round: WaitRound): Promise<FiredWaits> => {
  try {
    return await withRetries(() => fireNext(context, round));
  } catch (error) {
    faultOfTask(error);
  }
  const one = { ...round, most: 1 };
  try {
    return { ...(await withRetries(() => fireNext(context, one))), nextIn: 0 };
  } catch (error) {
    faultOfTask(error);
    return withRetries(() => postponeNext(context, one));
  }
});

/** Looks by one statement, and has a transaction only once something is due. */
async function fireNext(context: StoreContext, round: WaitRound): Promise<FiredWaits> {
  const seen = (await take(context.pool, { most: 1, expected: round.expected }))[0] as TakenWaits;
  if (seen.due.length === 0 && !isJump(seen, round)) {
    const { nextIn, now, areUsed } = seen;
    return { ...nothing, held: null, nextIn, now, areUsed };
  }
  return fireDue(context, round);
}

/** Whether the store's clock is further ahead than it may be. */
const isJump = ({ now }: TakenWaits, { expected }: WaitRound): boolean =>
  expected !== null && now > expected + longestJump;

function fireDue(context: StoreContext, round: WaitRound): Promise<FiredWaits> {
  const reads = briefReads(context.catalog, context.pool);
  return untilQuick(() =>
    inTransaction(context.pool, (client) =>
      fireBriefly(context, client, { round, findWorkflow: reads.begin() }),
    ),
  ).then(async ({ fired, ...rest }) => {
    // What begins now may be of a month in which nothing was due for long.
    if (fired.length > 0) await context.partitions.include(fired.map(({ taskId }) => taskId));
    return { ...rest, fired };
  });
}

interface Firing {
  readonly round: WaitRound;
  readonly findWorkflow: FindWorkflow;
}

async function fireBriefly(
  context: StoreContext,
  client: Database,
  { round, findWorkflow }: Firing,
): Promise<Decided<FiredWaits>> {
  const { actor, most, expected } = round;
  const taken = (await take(client, { most, expected }))[0] as TakenWaits;
  const { nextIn, now, areUsed } = taken;
  const held = isJump(taken, round) ? ((await hold(client, { expected }))[0]?.held ?? 0) : null;
  const seen = { held, now, areUsed, nextIn: taken.due.length === most ? 0 : nextIn };
  if (taken.due.length === 0) return { sent: [], result: () => ({ ...nothing, ...seen }) };
  const loaded = await loadTasks(client, [...new Set(taken.due.map(({ taskId }) => taskId))], {
    skipLocked: true,
    findWorkflow: (name) => findWorkflow(client, name),
    cached: noneCached,
    partitions: context.partitions,
  });
  const signals = await untakenFor(client, taken.due);
  const asked = await askedOf(client, { due: taken.due, tasks: loaded.tasks });
  const due = taken.due.filter((wait) => signals.get(nameOf(wait))?.fits !== false);
  const reportedEvents = due.map((wait) =>
    endOf(wait, signals.get(nameOf(wait)), asked.get(nameOf(wait))),
  );
  const batch = await decideLoaded(context, client, { loaded, reportedEvents });
  const saved = saveBatch(context, client, { loaded, batch, reportedEvents, options: { actor } });
  const isAll = due.length === taken.due.length;
  const fired = due.filter((_, index) => batch.outcomes[index]?.applied === true);
  const left = due.flatMap((wait, index) => {
    const outcome = batch.outcomes[index];
    if (outcome?.applied === true) return [];
    return [{ ...wait, ...putOff(wait, outcome, asked.get(nameOf(wait))) }];
  });
  const reminders = context.events
    ? left
        .filter(({ isReminder }) => isReminder)
        .flatMap((wait) => reminderOf(asked.get(nameOf(wait))!, loaded.now))
    : [];
  const ending = fired.flatMap((wait) => signals.get(nameOf(wait)) ?? []);
  return {
    sent: [
      ...saved.sent,
      ...(left.length === 0 ? [] : [postponed(client, left)]),
      ...enqueueNotifications(client, reminders),
      ...(ending.length === 0
        ? []
        : [takeSignals(client, columns(ending, { taskIds: "taskId", steps: "step", ids: "id" }))]),
    ],
    result: async () => {
      await saved.result();
      return {
        ...seen,
        ...(isAll ? {} : { nextIn: 0 }),
        fired,
        postponed: left.length,
        obsoleteAttempts: batch.obsoleteAttempts,
        hasNotifications: batch.notifications.length + reminders.length > 0,
      };
    },
  };
}

const nothing = { fired: [], postponed: 0, obsoleteAttempts: [], hasNotifications: false };

/** A signal that a wait may take. */
interface Untaken {
  readonly taskId: string;
  readonly step: string;
  readonly id: string;
  /**
   * Whether it is among what a transaction may parse; otherwise its payload is null, and its wait
   * stays due.
   */
  readonly fits: boolean;
  readonly payload: Json;
}

/** Bytes of payloads that one transaction parses. */
const mostBytes = 4 * 1024 * 1024;

const findUntaken = query("find-untaken-signals", rowsOf<Untaken>());
const takeSignals = query("take-signals");

const nameOf = ({ taskId, step }: Pick<DueWait, "taskId" | "step">): string => `${taskId} ${step}`;

/** The signals that are there for waits whose tasks are locked. */
async function untakenFor(
  db: Database,
  due: readonly DueWait[],
): Promise<ReadonlyMap<string, Untaken>> {
  const waiting = due.filter(({ signal }) => signal !== null);
  if (waiting.length === 0) return new Map();
  const asked = columns(waiting, { taskIds: "taskId", steps: "step", names: "signal" });
  const found = await findUntaken(db, { ...asked, mostBytes });
  return new Map(found.map((one) => [nameOf(one), one]));
}

/** A step that people decide, of a task that is locked, and what they have said. */
interface Asked {
  readonly task: VersionedTask;
  readonly step: Step;
  readonly decisions: readonly ApprovalDecision[];
}

/** What people have said about the steps that they decide, of tasks that are locked. */
async function askedOf(
  db: Database,
  { due, tasks }: { readonly due: readonly DueWait[]; readonly tasks: readonly VersionedTask[] },
): Promise<ReadonlyMap<string, Asked>> {
  const waiting = due.filter(({ audience }) => audience !== null);
  if (waiting.length === 0) return new Map();
  const byId = new Map(tasks.map((one) => [one.task.taskId, one]));
  const decisions = Map.groupBy(await readDecisions(db, waiting), nameOf);
  return new Map(
    waiting.flatMap((wait) => {
      const task = byId.get(wait.taskId);
      const step = task?.task.steps.get(wait.step);
      if (task === undefined || step === undefined) return [];
      const name = nameOf(wait);
      return [[name, { task, step, decisions: decisions.get(name) ?? [] }] as const];
    }),
  );
}

/**
 * What ends a wait: its signal, or what people have decided, if that is there, also after its
 * deadline.
 */
function endOf(
  { taskId, step }: DueWait,
  signal: Untaken | undefined,
  asked: Asked | undefined,
): ReportedTaskEvent {
  const by = (end: Extract<ReportedTaskEvent["event"], { kind: "waitEnded" }>["by"]) => ({
    taskId,
    event: { kind: "waitEnded" as const, step, by: end },
  });
  if (signal !== undefined) return { ...by("signal"), output: signal.payload };
  if (asked === undefined || !("quorum" in asked.step.plan)) return by("deadline");
  const { decisions } = asked;
  const decided = decidedBy(asked.step.plan, decisions);
  return decided === "rejection"
    ? { ...by(decided), faultDetail: rejectionText(decisions) }
    : { ...by(decided ?? "deadline"), output: approvalOutput(decisions) };
}

/** The reminder of those who are waited for. */
const reminderOf = ({ task, step }: Asked, now: Instant): readonly Notification[] => {
  const { correlationId, version: seq, traceContext = null } = task;
  const at = new Date(now).toISOString();
  const happened = { event: "approval.reminded", decision: null, correlationId, seq, at } as const;
  return approvalBody(task.task, step, happened).map((body) => ({
    subject: task.task.taskId,
    seq,
    correlationId,
    traceContext,
    channel: "event" as const,
    address: null,
    body,
  }));
};

/** When a wait is looked at again. */
interface PutOff {
  /** Milliseconds from now; null: at its deadline. */
  readonly later: Milliseconds | null;
  /** Whether it is not looked at before its task goes on. */
  readonly isHeldUp: boolean;
  /** Whether people were reminded, and are to be again, at its deadline at the latest. */
  readonly isReminder: boolean;
}

/**
 * When a wait is looked at again that did not end. A task that is not there may be locked by a
 * decision that ends in a moment. A signal may have been taken by another wait of its name: then
 * this one waits on. People who have not decided are reminded. What else is refused stays so for
 * long.
 */
function putOff(
  { signal, audience }: DueWait,
  outcome: EventOutcome | undefined,
  asked: Asked | undefined,
): PutOff {
  const reason = outcome?.applied === false ? outcome.reason : null;
  const atDeadline = { later: null, isHeldUp: false, isReminder: false };
  if (reason === "task_paused" || reason === "task_halted")
    return { ...atDeadline, isHeldUp: true };
  if (reason === "not_due" && (signal !== null || audience !== null)) {
    const later = asked === undefined ? null : remindAfterOf(asked.step.plan);
    return { ...atDeadline, later, isReminder: later !== null };
  }
  const isSoon = reason === "unknown_task" || reason === "not_due";
  return { ...atDeadline, later: isSoon ? lockedFor : unusableFor };
}

const postponed = (db: Database, waits: readonly (DueWait & PutOff)[]): Promise<unknown> =>
  postpone(
    db,
    columns(waits, {
      taskIds: "taskId",
      steps: "step",
      laters: "later",
      heldUp: "isHeldUp",
      reminders: "isReminder",
    }),
  );

/** The next wait cannot be ended, also by itself. */
const postponeNext = ({ pool }: StoreContext, { most, expected }: WaitRound): Promise<FiredWaits> =>
  inTransaction(pool, async (client) => {
    const [taken] = await take(client, { most, expected });
    const { due, now, areUsed } = taken as TakenWaits;
    const put = { later: unusableFor, isHeldUp: false, isReminder: false };
    const left = due.map((wait) => ({ ...wait, ...put }));
    return {
      sent: left.length === 0 ? [] : [postponed(client, left)],
      result: () => ({ ...nothing, held: null, nextIn: 0, now, areUsed, postponed: left.length }),
    };
  });
