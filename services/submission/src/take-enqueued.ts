import { askedInRow, isStatusQueue } from "@holdfast/contracts";
import { ChangedJson, Fault, SetupFault } from "@holdfast/domain";
import type { Failpoint, Logger } from "@holdfast/runtime";
import {
  type EnqueuedRefusal,
  type EnqueuedSubmission,
  type NewTask,
  readRow,
  type SubmissionStore,
} from "@holdfast/state-store";
import { applicationName } from "./access/application-names.ts";
import { type Reading, type RefusedSubmission, taskMaker } from "./make-tasks.ts";
import { changedJson, Problem } from "./problem.ts";
import { refusalOf } from "./refuse-deliveries.ts";
import { unknownWorkflow, type WorkflowDirectory } from "./workflow-directory.ts";

interface InboxDependencies {
  readonly store: Pick<SubmissionStore, "claimEnqueued" | "refuseEnqueued" | "submitTasks">;
  readonly directory: WorkflowDirectory;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Pick<Logger, "warn" | "error">;
  readonly failpoint: Failpoint;
  readonly actor: string;
}

/**
 * Milliseconds between two looks at an inbox that is empty: the first ones follow sooner, since who
 * enqueues wakes no process while something waits.
 */
const rests = [50, 250];
const longestRest = 1_000;
/** What one transaction makes, and what is in memory meanwhile. */
const most = 200;
const mostBytes = 4 * 1024 * 1024;
/**
 * Milliseconds in which a batch is made; after that another process takes it. What was taken in
 * vain rests for more of them.
 */
const lease = 15_000;
const mostLeases = 40;

/**
 * Makes tasks of the submissions that applications have enqueued in their transactions: those of
 * one look. Each becomes one task with the id that it was given, or is refused: whatever crashes,
 * its row is there until one of these is committed. Those that were taken in vain before are made
 * one by one, after the others: what fails, or ends its process, holds none back. Resolves to the
 * milliseconds until the next look.
 */
export function takeEnqueued(deps: InboxDependencies): () => Promise<number> {
  const { store, hint } = deps;
  const makeTogether = taskMaker({ ...deps, key: "idempotencyKey" }, readEnqueued);
  const make = async (
    rows: readonly EnqueuedSubmission[],
  ): Promise<readonly RefusedSubmission<EnqueuedSubmission>[]> => {
    try {
      return await makeTogether(rows);
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      if (rows.length > 1) {
        // One after the other: which of them it is shows by itself.
        const refused = [];
        for (const row of rows) refused.push(...(await make([row])));
        return refused;
      }
      deps.log.error({ err: error, taskId: rows[0]?.taskId }, "enqueued submission failed");
      return rows.map((from) => ({ from, problem: failed() }));
    }
  };
  /** Looks since the last one that found something. */
  let looks = rests.length;
  return async () => {
    const rest = rests[looks] ?? longestRest;
    looks += 1;
    const rows = await store.claimEnqueued({ most, mostBytes, lease, mostLeases });
    if (rows.length === 0) return rest;
    looks = 0;
    const failures: unknown[] = [];
    for (const part of partsOf(rows)) {
      try {
        const refused = await make(part);
        if (refused.length > 0) await refuse(refused, deps);
        if (refused.length < part.length) hint();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    // More may have waited than one transaction takes.
    return 0;
  };
}

/** What is made together: what is taken for the first time, and each of the others. */
function partsOf(rows: readonly EnqueuedSubmission[]): readonly (readonly EnqueuedSubmission[])[] {
  const fresh = rows.filter(({ claims }) => claims <= 1);
  const others = rows.filter(({ claims }) => claims > 1).map((row) => [row]);
  return fresh.length === 0 ? others : [fresh, ...others];
}

/** Whether a row is to blame for an error, and not the store, its rights or this process. */
const isOfOneRow = (error: unknown): boolean =>
  error instanceof Fault && !error.transient && !(error instanceof SetupFault);

const failed = () => new Problem(500, "request.failed", "Something went wrong on our side.");

/** Reads the submission in a row as a task. */
async function readEnqueued(row: EnqueuedSubmission, { find, readIn }: Reading): Promise<NewTask> {
  const { taskId, submission, replayOf, traceContext } = row;
  const asked = askedIn(submission);
  const { workflow: named } = asked;
  if (typeof named !== "string") throw unknownWorkflow(String(named), null);
  const workflow = await find(named);
  // The key of one that repeats nothing was taken for itself when it was enqueued.
  const task = await readIn(asked, workflow, { mayRepeat: replayOf !== null });
  return { ...task, traceContext, enqueued: { taskId, replayOf, by: applicationName(row) } };
}

function askedIn(submission: string) {
  try {
    return readRow(submission);
  } catch (error) {
    if (error instanceof ChangedJson)
      throw changedJson(error.faults, { pointer: "/input", is: "input" });
    if (!(error instanceof SyntaxError)) throw error;
    const why = `The submission cannot be read: ${error.message}.`;
    throw new Problem(400, "request.not_json", why);
  }
}

async function refuse(
  refused: readonly RefusedSubmission<EnqueuedSubmission>[],
  { store, log }: InboxDependencies,
): Promise<void> {
  await store.refuseEnqueued(refused.map(refusalIn));
  for (const { from, problem } of refused) {
    const { code, message: detail, errors } = problem;
    const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
    log.warn({ taskId: from.taskId, code, detail, pointers }, "task refused");
  }
}

function refusalIn({
  from: { taskId, submission },
  problem,
}: RefusedSubmission<EnqueuedSubmission>): EnqueuedRefusal {
  const { replyTo, idempotencyKey, correlationId } = fieldsIn(submission);
  const messageId = typeof idempotencyKey === "string" ? idempotencyKey.slice(0, 255) : null;
  return {
    taskId,
    code: problem.code,
    detail: problem.message,
    errors: problem.errors,
    notification:
      typeof replyTo === "string" && isStatusQueue(replyTo)
        ? refusalOf(problem, { messageId, taskId, replyTo, correlationId })
        : null,
  };
}

/** The fields of a submission that may be refused because it cannot be read. */
function fieldsIn(submission: string): ReturnType<typeof readRow> {
  try {
    return readRow(submission);
  } catch (error) {
    const json = error instanceof ChangedJson ? error.json : null;
    return typeof json === "object" && json !== null ? askedInRow(json as never) : {};
  }
}
