import { compileTaskInput, type Submission } from "@holdfast/contracts";
import {
  ContractFault,
  errorText,
  type FaultCode,
  type Milliseconds,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { toStoreFault } from "../postgres/postgres-error.ts";
import { familyOf } from "../workflows/workflow-catalog.ts";
import { readSubmission, SubmissionFault, type TargetWorkflow } from "./read-submission.ts";

/** A connection of `pg`, in a transaction that its owner begins and commits. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A task to be submitted together with what its application writes itself. */
export interface SubmittedTask extends Omit<Submission, "notBefore"> {
  /** When its first steps become due; now unless said otherwise. */
  readonly notBefore?: Date | string;
  /** Milliseconds for which the idempotency key stands for the task; 24 hours unless said otherwise. */
  readonly keepKeyFor?: Milliseconds;
}

export interface SubmittedTaskId {
  readonly taskId: string;
  /** The key stood for this task already. */
  readonly replayed: boolean;
}

interface Options {
  /** As EVENTS of the services: whether new tasks are published to `holdfast.events`. */
  readonly publishEvents?: boolean;
  /** W3C Trace Context: the tasks go on with this trace. Without it, with the setting `holdfast.traceparent` of the transaction. */
  readonly traceparent?: string;
}

/**
 * Submits tasks in the transaction of `client`: they are there when it commits, and never were when it does
 * not. Its login needs the role `holdfast_application` and no other. Throws a `ContractFault` for what is not to
 * be submitted, with the codes of the other ways in (`task.invalid` with the first place in `details.pointer`,
 * `workflow.unknown`, `workflow.retired`, `request.idempotency_key_reused`, and `task.key_in_use` with the open task in
 * `details.taskId`), `workflow.unusable` or `workflow.first_step_conditional`: the caller then rolls
 * the transaction back. A Scheduler finds the tasks at its next scan, within a second or so: nothing wakes it.
 */
export async function submitTasks(
  client: TransactionClient,
  tasks: readonly SubmittedTask[],
  { publishEvents = false, traceparent }: Options = {},
): Promise<readonly SubmittedTaskId[]> {
  if (traceparent !== undefined) await ask(client, setTrace, [traceparent]);
  const workflows = new Map<string, TargetWorkflow>();
  const submitted: SubmittedTaskId[] = [];
  for (const task of tasks) {
    const workflow = workflows.get(task.workflow) ?? (await findTarget(client, task.workflow));
    workflows.set(task.workflow, workflow);
    mustBeTask(task, workflow);
    submitted.push(await submit(client, task, publishEvents));
  }
  // What the transaction submits later has a trace of its own, or none.
  if (traceparent !== undefined) await ask(client, setTrace, [""]);
  return submitted;
}

/** Until the transaction ends. */
const setTrace = "select set_config('holdfast.traceparent', $1, true)";

const select = "select name, definition from state.workflow_to_submit($1)";

const submission = `select task_id::text as "taskId", replayed
  from state.submit_task(workflow => $1, input => $2::jsonb, idempotency_key => $3, priority => $4,
                         reply_to => $5, correlation_id => $6,
                         keep_key_for => $7::float8 * interval '1 millisecond', publish_events => $8,
                         fairness_key => $9, fairness_weight => $10, business_key => $11,
                         labels => $12::jsonb, not_before => to_timestamp($13::float8 / 1000))`;

const day = 24 * 60 * 60 * 1_000;

async function findTarget(client: TransactionClient, asked: string): Promise<TargetWorkflow> {
  const [row] = await ask<{ name: string; definition: WorkflowDefinition }>(client, select, [
    asked,
  ]);
  const { name, definition } = row!;
  try {
    const check = compileTaskInput(definition);
    return { name, family: familyOf(name), definition, check, takesActive: name !== asked };
  } catch (error) {
    // Without its check the store would accept inputs that no Agent can use.
    throw new ContractFault(
      "workflow.unusable",
      `The stored input schema of ${asked} cannot be compiled: ${errorText(error)}. Register a new version of the workflow, and submit to that`,
      { cause: error },
    );
  }
}

/** Throws what the other ways in refuse, with the first place that is wrong in its words. */
function mustBeTask(task: SubmittedTask, workflow: TargetWorkflow): void {
  try {
    readSubmission(submissionOf(task), workflow);
  } catch (error) {
    if (!(error instanceof SubmissionFault)) throw error;
    const { code, message, errors, details } = error;
    const [first] = errors;
    const at = first === undefined ? "" : ` ${first.pointer || "/"} ${first.detail}`;
    throw new ContractFault(code, `${task.workflow}: ${message}${at}`, { details, cause: error });
  }
}

function submissionOf({ keepKeyFor: _keepKeyFor, notBefore, ...task }: SubmittedTask): Submission {
  if (notBefore === undefined) return task;
  const isDate = typeof notBefore !== "string";
  // What is no instant is refused where instants are read.
  const isNone = isDate && Number.isNaN(notBefore.getTime());
  return { ...task, notBefore: isDate && !isNone ? notBefore.toISOString() : String(notBefore) };
}

async function submit(
  client: TransactionClient,
  task: SubmittedTask,
  publishEvents: boolean,
): Promise<SubmittedTaskId> {
  const [row] = await ask<SubmittedTaskId>(client, submission, [
    task.workflow,
    JSON.stringify(task.input),
    task.idempotencyKey ?? null,
    task.priority ?? "normal",
    task.replyTo ?? null,
    task.correlationId ?? null,
    task.keepKeyFor ?? day,
    publishEvents,
    task.fairness?.key ?? null,
    task.fairness?.weight ?? null,
    task.key ?? null,
    task.labels === undefined ? null : JSON.stringify(task.labels),
    task.notBefore === undefined ? null : new Date(task.notBefore).getTime(),
  ]);
  return row!;
}

/** What the functions of the store refuse: their messages begin with the code. */
const refusals: ReadonlySet<unknown> = new Set(["HF404", "HF409", "HF410", "HF422"]);

async function ask<Row>(
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
