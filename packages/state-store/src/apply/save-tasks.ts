import {
  bandOfStep,
  changedSteps,
  type DecidedTask,
  type Instant,
  isFinished,
  laneOf,
  rankOf,
  type Step,
  type Task,
  type Urgency,
} from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";

const saveDecisions = queryAmong("save-decisions");
const insertSteps = query("insert-steps");

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
      .map((step) => newStepRow(after.taskId, step, before, now)),
  );
  const months = partitions.monthsOf(decided.map(({ after }) => after.taskId));
  const save = saveDecisions(db, months, {
    actor,
    note,
    ...taskColumns(decided),
    ...stepColumns(decided, now),
    ...eventColumns(decided),
  });
  return added.length === 0 ? [save] : [save, addSteps(db, added)];
}

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
  notBefore: step.processState === "pending" ? step.notBefore : null,
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

/** A step that is not in the store yet. */
export function newStepRow(taskId: string, step: Step, urgency: Urgency, now: Instant) {
  const { name, kind, startWithin, completeWithin, extendUpTo = null } = step.plan;
  const { agent, processState, admitted } = step;
  const [lane, band] = [laneOf(step), bandOfStep(step, urgency)];
  const row = { taskId, name, kind, lane, agent, band, processState, admitted };
  return { ...row, startWithin, completeWithin, extendUpTo, ...due(step, urgency, now) };
}

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
    }),
  );
