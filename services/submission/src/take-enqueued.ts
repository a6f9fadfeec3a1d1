import { askedInRow, isStatusQueue } from "@holdfast/contracts";
import { ChangedJson } from "@holdfast/domain";
import type { Failpoint, Logger } from "@holdfast/runtime";
import {
  type EnqueuedRefusal,
  type EnqueuedSubmission,
  type NewTask,
  readRow,
  type SubmissionStore,
} from "@holdfast/state-store";
import { applicationName, loginName } from "./access/application-names.ts";
import { inboxTaker } from "./inbox-rounds.ts";
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
 * Makes tasks of the submissions that applications have enqueued in their transactions: those of
 * one look. Each becomes one task with the id that it was given, or is refused. Resolves to
 * whether there were any.
 */
export function takeEnqueued(deps: InboxDependencies): () => Promise<boolean> {
  const { store, hint, log } = deps;
  return inboxTaker<EnqueuedSubmission>({
    claim: (request) => store.claimEnqueued(request),
    take: taskMaker({ ...deps, key: "idempotencyKey" }, readEnqueued),
    refuse: (refused) => refuse(refused, deps),
    onFailed: (err, row) => log.error({ err, taskId: row?.taskId }, "enqueued submission failed"),
    onTaken: hint,
  });
}

/** Reads the submission in a row as a task. */
async function readEnqueued(row: EnqueuedSubmission, { find, readIn }: Reading): Promise<NewTask> {
  const { taskId, submission, replayOf, traceContext } = row;
  const asked = askedIn(submission);
  const { workflow: named } = asked;
  if (typeof named !== "string") throw unknownWorkflow(String(named), null);
  const workflow = await find(named);
  // The key of one that repeats nothing was taken for itself when it was enqueued.
  const task = await readIn(asked, workflow, {
    submittedBy: loginName(row),
    mayRepeat: replayOf !== null,
  });
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
