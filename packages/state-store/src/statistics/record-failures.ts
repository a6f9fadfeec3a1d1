import { createHash } from "node:crypto";
import { type CountedEvent, messagePattern } from "@holdfast/domain";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** An entry of the history that was not counted yet. */
export interface NewEvent extends Omit<CountedEvent, "from" | "to"> {
  readonly id: number;
  readonly taskId: string;
  readonly fromState: string | null;
  readonly toState: string;
  readonly reason: string | null;
  /** What the Agent said of a failure. */
  readonly detail: string | null;
  /** Whether the task waits for an operator now. */
  readonly isHalted: boolean;
}

/** What failures of one group have in common. */
export interface FailureKind {
  readonly workflow: string;
  /** The step that failed; empty: the task as a whole did. */
  readonly step: string;
  readonly faultCode: string;
  /** Numbers, ids and quoted values are replaced. */
  readonly message: string;
}

interface Failure extends FailureKind {
  readonly taskId: string;
  readonly fingerprint: string;
  readonly halted: boolean;
  readonly at: number;
}

const add = query("add-failures");
const updateHalted = query("update-halted-failures");
const findFailed = query("find-failed-tasks", rowsOf<{ taskId: string }>());

/** 16 hexadecimal digits, the same for failures of one workflow, step, code and message. */
export const fingerprintOf = ({ workflow, step, faultCode, message }: FailureKind): string =>
  createHash("sha256")
    .update(JSON.stringify([workflow, step, faultCode, message]))
    .digest("hex")
    .slice(0, 16);

/**
 * Records the failures among these entries of the history, and which tasks wait for an operator
 * now.
 */
export async function recordFailures(db: Database, events: readonly NewEvent[]): Promise<void> {
  const ofSteps = events.flatMap(failureOfStep);
  const failures = [...ofSteps, ...(await failuresOfTasks(db, { events, ofSteps }))];
  if (failures.length > 0) await save(db, failures);
  const turned = events.filter(
    ({ step, fromState, toState }) =>
      step === null && (fromState === "halted" || toState === "halted"),
  );
  const halted = new Map(turned.map(({ taskId, isHalted }) => [taskId, isHalted]));
  if (halted.size > 0)
    await updateHalted(db, { taskIds: [...halted.keys()], halted: [...halted.values()] });
}

function failureOfStep(event: NewEvent): readonly Failure[] {
  const { action, workflow, step, reason } = event;
  if (action !== "fail" || workflow === null || step === null) return [];
  return [
    toFailure(event, { workflow, step, faultCode: reason ?? "", message: event.detail ?? "" }),
  ];
}

const unhappy: ReadonlySet<string> = new Set(["halted", "undoing", "undone"]);

/** Failures of tasks that failed without a step of theirs, such as by their own limit. */
async function failuresOfTasks(
  db: Database,
  {
    events,
    ofSteps,
  }: { readonly events: readonly NewEvent[]; readonly ofSteps: readonly Failure[] },
): Promise<readonly Failure[]> {
  const failed = new Set(ofSteps.map(({ taskId }) => taskId));
  const turned = events.filter(
    ({ step, toState, reason, workflow, taskId }) =>
      step === null &&
      reason !== null &&
      workflow !== null &&
      unhappy.has(toState) &&
      !failed.has(taskId),
  );
  if (turned.length === 0) return [];
  const taskIds = [...new Set(turned.map(({ taskId }) => taskId))];
  for (const { taskId } of await findFailed(db, { taskIds })) failed.add(taskId);
  const first = new Map(turned.toReversed().map((event) => [event.taskId, event]));
  return [...first.values()]
    .filter(({ taskId }) => !failed.has(taskId))
    .map((event) =>
      toFailure(event, {
        workflow: event.workflow ?? "",
        step: "",
        faultCode: event.reason ?? "",
        message: "",
      }),
    );
}

function toFailure({ taskId, at, isHalted: halted }: NewEvent, failed: FailureKind): Failure {
  const kind = { ...failed, message: messagePattern(failed.message) };
  return { ...kind, taskId, at, halted, fingerprint: fingerprintOf(kind) };
}

async function save(db: Database, failures: readonly Failure[]): Promise<void> {
  const latest = new Map(failures.map((failure) => [`${failure.taskId} ${failure.step}`, failure]));
  const groups = Map.groupBy(failures, ({ fingerprint }) => fingerprint);
  await add(db, {
    ...columns(
      [...latest.values()].toSorted((one, other) => (one.taskId < other.taskId ? -1 : 1)),
      {
        taskIds: "taskId",
        steps: "step",
        fingerprints: "fingerprint",
        halted: "halted",
        ats: "at",
      },
    ),
    ...columns([...groups.values()].map(toGroup), {
      groupFingerprints: "fingerprint",
      workflows: "workflow",
      groupSteps: "step",
      faultCodes: "faultCode",
      messages: "message",
      counts: "failures",
      firstAts: "firstAt",
      lastAts: "lastAt",
    }),
  });
}

function toGroup(failures: readonly Failure[]) {
  const ats = failures.map(({ at }) => at);
  return {
    ...failures[0]!,
    failures: String(failures.length),
    firstAt: Math.min(...ats),
    lastAt: Math.max(...ats),
  };
}
