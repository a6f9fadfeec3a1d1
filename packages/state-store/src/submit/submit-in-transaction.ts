import { compileTaskInput, type Submission } from "@holdfast/contracts";
import {
  ContractFault,
  errorText,
  type FaultCode,
  familyOf,
  type Milliseconds,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { toStoreFault } from "../postgres/postgres-error.ts";
import { readSubmission, SubmissionFault, type TargetWorkflow } from "./read-submission.ts";

/** A connection of `pg`, in a transaction that its owner begins and commits. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A task to be submitted together with what its application writes itself. */
export interface SubmittedTask extends Omit<Submission, "notBefore"> {
  /** When its first steps become due; now unless said otherwise. */
  readonly notBefore?: Date | string;
  /**
   * Milliseconds for which the idempotency key stands for the task; 24 hours unless said otherwise.
   */
  readonly keepKeyFor?: Milliseconds;
}

export interface SubmittedTaskId {
  readonly taskId: string;
  /** The key stood for this task already. */
  readonly replayed: boolean;
}

interface TraceOption {
  /**
   * W3C Trace Context: the tasks go on with this trace. Without it, with the setting
   * `holdfast.traceparent` of the transaction.
   */
  readonly traceparent?: string;
}

/**
 * Submits tasks in the transaction of `client`: they are submitted when it commits, and never were
 * when it does not. Its login needs the role `holdfast_application` and no other. Throws a
 * `ContractFault` for what is not to be submitted, with the codes of the other ways in
 * (`task.invalid` with the first place in `details.pointer`, `workflow.unknown`,
 * `workflow.retired`, and `task.key_in_use` with the open task in `details.taskId`) or
 * `workflow.unusable`: the caller then rolls the transaction back. What repeats a task under its
 * idempotency key is that task, whatever has become of the workflow since. The submission service
 * makes the tasks within a second or so of the commit, and refuses those whose idempotency key
 * stands for something else, as a row of `state.refused_submissions` and in the queue that
 * `replyTo` names.
 */
export async function submitTasks(
  client: TransactionClient,
  tasks: readonly SubmittedTask[],
  { traceparent }: TraceOption = {},
): Promise<readonly SubmittedTaskId[]> {
  if (traceparent !== undefined) await ask(client, setTrace, [traceparent]);
  const workflows = new Map<string, TargetWorkflow | undefined>();
  const submitted: SubmittedTaskId[] = [];
  for (const task of tasks) {
    const asked = task.workflow;
    if (!workflows.has(asked)) workflows.set(asked, await findTarget(client, asked));
    const fault = await faultOf(task, workflows.get(asked));
    submitted.push(
      fault === undefined ? await enqueue(client, task) : await repeat(client, task, fault),
    );
  }
  // What the transaction submits later has a trace of its own, or none.
  if (traceparent !== undefined) await ask(client, setTrace, [""]);
  return submitted;
}

/** Sets the trace until the transaction ends. */
const setTrace = "select set_config('holdfast.traceparent', $1, true)";

const select = "select name, definition from state.find_workflow_to_submit($1)";

const enqueueing = `with new as materialized (select state.new_task_id() as id)
  select task_id::text as "taskId", task_id <> id as replayed
    from new
   cross join lateral (
         select state.enqueue_submission($1::jsonb, id, $2::float8 * interval '1 millisecond') as task_id) as enqueued`;

const day = 24 * 60 * 60 * 1_000;

/** The workflow that a new task would get; undefined where the store takes none. */
async function findTarget(
  client: TransactionClient,
  asked: string,
): Promise<TargetWorkflow | undefined> {
  const [row] = await ask<{ name: string; definition: WorkflowDefinition }>(client, select, [
    asked,
  ]);
  if (row === undefined) return undefined;
  const { name, definition } = row;
  const check = checkOf(asked, definition);
  return { name, family: familyOf(name), definition, check, takesActive: name !== asked };
}

function checkOf(asked: string, definition: WorkflowDefinition): TargetWorkflow["check"] {
  try {
    return compileTaskInput(definition);
  } catch (error) {
    // Without its check the store would accept inputs that no Agent can use.
    throw new ContractFault(
      "workflow.unusable",
      `The stored input schema of ${asked} cannot be compiled: ${errorText(error)}. Register a new version of the workflow, and submit to that`,
      { cause: error },
    );
  }
}

/**
 * What the other ways in refuse of a new task, with the first place that is wrong in their words;
 * undefined: nothing.
 */
async function faultOf(
  task: SubmittedTask,
  workflow: TargetWorkflow | undefined,
): Promise<ContractFault | undefined> {
  // The store itself says what is wrong with the workflow.
  if (workflow === undefined) return undefined;
  try {
    await readSubmission(submissionOf(task), workflow);
    return undefined;
  } catch (error) {
    if (!(error instanceof SubmissionFault)) throw error;
    const { code, message, errors, details } = error;
    const [first] = errors;
    const at = first === undefined ? "" : ` ${first.pointer || "/"} ${first.detail}`;
    return new ContractFault(code, `${task.workflow}: ${message}${at}`, { details, cause: error });
  }
}

/**
 * Submits what a new task may not be, if its idempotency key stands for a task already: the active
 * version may have changed since. Otherwise nothing is submitted, and `fault` is thrown.
 */
async function repeat(
  client: TransactionClient,
  task: SubmittedTask,
  fault: ContractFault,
): Promise<SubmittedTaskId> {
  if (task.idempotencyKey === undefined) throw fault;
  try {
    await ask(client, "savepoint holdfast_repetition", []);
  } catch {
    // No transaction was begun, or it has failed: what is wrong with the task is what its caller
    // can mend.
    throw fault;
  }
  const repeated = await enqueue(client, task).catch(() => undefined);
  if (repeated?.replayed === true) {
    await ask(client, "release savepoint holdfast_repetition", []);
    return repeated;
  }
  await ask(client, "rollback to savepoint holdfast_repetition", []);
  throw fault;
}

function submissionOf({ keepKeyFor: _keepKeyFor, notBefore, ...task }: SubmittedTask): Submission {
  if (notBefore === undefined) return task;
  const isDate = typeof notBefore !== "string";
  // What is no instant is refused where instants are read.
  const isNone = isDate && Number.isNaN(notBefore.getTime());
  return { ...task, notBefore: isDate && !isNone ? notBefore.toISOString() : String(notBefore) };
}

async function enqueue(client: TransactionClient, task: SubmittedTask): Promise<SubmittedTaskId> {
  const [row] = await ask<SubmittedTaskId>(client, enqueueing, [
    JSON.stringify(submissionOf(task)),
    task.keepKeyFor ?? day,
  ]);
  return row!;
}

/** What the functions of the store refuse: their messages begin with the code. */
const refusals: ReadonlySet<unknown> = new Set(["HF404", "HF409", "HF410", "HF422"]);

/** Asks in a transaction. Throws what a function of the store refuses as a `ContractFault`. */
export async function ask<Row>(
  client: TransactionClient,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  try {
    return (await client.query(text, values)).rows as readonly Row[];
  } catch (error) {
    const { code, message, detail } = error as {
      readonly code?: unknown;
      readonly message: string;
      readonly detail?: string;
    };
    if (!refusals.has(code)) throw toStoreFault(error);
    const [, fault = "task.invalid", words = message] = /^([a-z_.]+): (.*)$/s.exec(message) ?? [];
    const details = detail === undefined ? {} : { taskId: detail };
    throw new ContractFault(fault as FaultCode, words, { details, cause: error });
  }
}
