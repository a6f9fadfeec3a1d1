import {
  asksAgent,
  bandOfStep,
  changedSteps,
  type DecidedTask,
  type DefinitionFormat,
  type Instant,
  isFinished,
  laneOf,
  rankOf,
  type Step,
  type StepPlan,
  stepsOf,
  type Task,
  type Urgency,
} from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";
import { type SavedWaits, saveWaits, waitRow } from "../waits/save-waits.ts";

const saveDecisions = queryAmong("save-decisions");
const insertSteps = query("insert-steps");

/** What a new step is written down with. */
interface NewStepOf {
  readonly taskId: string;
  readonly format: DefinitionFormat;
  readonly urgency: Urgency;
  readonly now: Instant;
}

interface SaveOptions {
  readonly actor: string;
  /** An operator's words; null: none. */
  readonly note: string | null;
  readonly now: Instant;
  readonly partitions: ActivePartitions;
}

/** Sends, without waiting, what writes decided tasks, their steps and their history. */
export function saveTasks(
  db: Database,
  decided: readonly DecidedTask[],
  { actor, note, now, partitions }: SaveOptions,
): readonly Promise<unknown>[] {
  const added = decided.flatMap(({ before, after }) =>
    changedSteps(before.task, after)
      .filter(({ plan }) => !before.task.steps.has(plan.name))
      .map((step) =>
        newStepRow(
          { taskId: after.taskId, format: after.workflow.format, urgency: before, now },
          step,
        ),
      ),
  );
  const waits = saveWaits(db, waitsOf(decided));
  const months = partitions.monthsOf(decided.map(({ after }) => after.taskId));
  const save = saveDecisions(db, months, {
    actor,
    note,
    ...taskColumns(decided),
    ...stepColumns(decided, now),
    ...eventColumns(decided),
  });
  return [save, ...(added.length === 0 ? [] : [addSteps(db, added)]), ...waits];
}

/** The waits that decisions begin, move on and end. */
const waitsOf = (decided: readonly DecidedTask[]): SavedWaits => {
  const moves = decided.flatMap(({ before, after }) =>
    (isHeldUp(before.task) && !isHeldUp(after)
      ? stepsOf(after)
      : changedSteps(before.task, after)
    ).map((step) => ({
      taskId: after.taskId,
      step,
      old: before.task.steps.get(step.plan.name),
    })),
  );
  return {
    begun: moves.flatMap(({ taskId, step, old }) =>
      old?.processState === "awaiting" ? [] : waitRow(taskId, step),
    ),
    moved: moves.flatMap(({ taskId, step, old }) =>
      old?.processState === "awaiting" ? waitRow(taskId, step) : [],
    ),
    ended: moves.flatMap(({ taskId, step, old }) =>
      old?.processState === "awaiting" && step.processState !== "awaiting"
        ? [{ taskId, step: step.plan.name }]
        : [],
    ),
  };
};

/** Whether none of its waits may fail for now: see `endWait`. */
const isHeldUp = ({ paused, processState }: Task): boolean => paused || processState === "halted";

const taskColumns = (decided: readonly DecidedTask[]) =>
  columns(
    decided.map(({ before, after }) => ({
      taskId: after.taskId,
      version: before.version,
      goal: after.goal,
      processState: after.processState,
      faultCode: after.faultCode,
      finished: isFinished(after),
      paused: after.paused,
    })),
    {
      taskIds: "taskId",
      versions: "version",
      goals: "goal",
      taskStates: "processState",
      taskFaults: "faultCode",
      finished: "finished",
      paused: "paused",
    },
  );

function stepColumns(decided: readonly DecidedTask[], now: Instant) {
  const rows = decided.flatMap(({ before, after }) =>
    changedSteps(before.task, after).flatMap((step) => {
      const old = before.task.steps.get(step.plan.name);
      if (old === undefined) return [];
      const from = { taskId: after.taskId, name: step.plan.name, fromState: old.processState };
      const token = old.processState === "processing" ? old.token : null;
      const kept = { attempt: old.attempt, token, lane: laneOf(step) };
      return [{ ...step, ...from, ...kept, ...due(step, before, now) }];
    }),
  );
  return columns(rows, {
    stepTaskIds: "taskId",
    names: "name",
    fromStates: "fromState",
    attempts: "attempt",
    tokens: "token",
    lanes: "lane",
    states: "processState",
    ranks: "rank",
    notBefores: "notBefore",
    failureCounts: "failureCount",
    requeueCounts: "requeueCount",
    coolDowns: "coolDowns",
    keyGenerations: "keyGeneration",
    admitted: "admitted",
    mayHaveEffects: "mayHaveEffect",
    faultCodes: "faultCode",
  });
}

const due = (step: Step, urgency: Urgency, now: Instant) => ({
  notBefore: "notBefore" in step ? (step.notBefore ?? null) : null,
  rank: rankOf(step, urgency, now),
});

function eventColumns(decided: readonly DecidedTask[]) {
  const events = decided.flatMap(({ before, after, changes, acts }) => [
    ...acts.map(({ action, reason }) => ({
      taskId: after.taskId,
      step: null as string | null,
      action,
      from: before.task.processState as string,
      to: before.task.processState as string,
      attempt: null as number | null,
      reason,
    })),
    ...changes.map(({ step, action, from, reason }) => ({
      taskId: after.taskId,
      step: step.plan.name,
      action,
      from,
      to: step.processState,
      attempt: step.attempt,
      reason,
    })),
    ...summaryOf(before.task, after),
  ]);
  return columns(events, {
    eventTaskIds: "taskId",
    eventSteps: "step",
    eventActions: "action",
    eventFroms: "from",
    eventTos: "to",
    eventAttempts: "attempt",
    eventReasons: "reason",
  });
}

function summaryOf({ processState: from }: Task, { taskId, processState: to, faultCode }: Task) {
  if (from === to) return [];
  return [{ taskId, step: null, action: "summarise", from, to, attempt: null, reason: faultCode }];
}

/** A step that is not in the store yet, of a workflow of that format. */
export function newStepRow({ taskId, format, urgency, now }: NewStepOf, step: Step) {
  const { name, kind } = step.plan;
  const { agent, processState, admitted, faultCode } = step;
  const [lane, band] = [laneOf(step), bandOfStep(step, urgency)];
  const row = { taskId, name, kind, lane, agent, band, processState, admitted, format, faultCode };
  return { ...row, ...limitsOf(step.plan), ...due(step, urgency, now) };
}

/** A step that asks no Agent has no attempts, and so no limits of them. */
const limitsOf = (plan: StepPlan) =>
  asksAgent(plan)
    ? {
        startWithin: plan.startWithin,
        completeWithin: plan.completeWithin,
        extendUpTo: plan.extendUpTo ?? null,
      }
    : { startWithin: 0, completeWithin: 0, extendUpTo: null };

export const addSteps = (
  db: Database,
  rows: readonly ReturnType<typeof newStepRow>[],
): Promise<unknown> =>
  insertSteps(
    db,
    columns(rows, {
      taskIds: "taskId",
      names: "name",
      kinds: "kind",
      lanes: "lane",
      agents: "agent",
      bands: "band",
      states: "processState",
      ranks: "rank",
      notBefores: "notBefore",
      admitted: "admitted",
      startWithins: "startWithin",
      completeWithins: "completeWithin",
      extendUpTos: "extendUpTo",
      formats: "format",
      faultCodes: "faultCode",
    }),
  );
