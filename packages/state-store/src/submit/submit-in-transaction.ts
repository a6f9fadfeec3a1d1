import { compileInput, type InputCheck } from "@holdfast/contracts";
import {
  ContractFault,
  errorText,
  type Fairness,
  type FaultCode,
  type Json,
  type Milliseconds,
  type Priority,
} from "@holdfast/domain";
import { toStoreFault } from "../postgres/postgres-error.ts";
import type { Labels } from "./new-task.ts";

/** A connection of `pg`, in a transaction that its owner begins and commits. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A task to be submitted together with what its application writes itself. */
export interface SubmittedTask {
  /** With its version, or without: then the one that operators activated. */
  readonly workflow: string;
  readonly input: Json;
  /** The same key with the same workflow and input stands for the same task while the key is kept. */
  readonly idempotencyKey?: string;
  /** How long the key is kept; 24 hours unless said otherwise. */
  readonly keepKeyFor?: Milliseconds;
  /** `normal` unless said otherwise. */
  readonly priority?: Priority;
  /** By what its steps share their band. What is left out is where the workflow says; the weight is 1 otherwise. */
  readonly fairness?: Partial<Fairness>;
  /** The application's own name of what the task is about: at most one open task of its workflow has it. */
  readonly key?: string;
  /** At most 16 texts by which the task is found. */
  readonly labels?: Labels;
  /** When its first steps become due; now unless said otherwise. */
  readonly notBefore?: Date | string;
  /** The status queue that is to hear what becomes of the task. */
  readonly replyTo?: string;
  readonly correlationId?: string;
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
 * be submitted (`task.invalid` with the first place in `details.pointer`, `workflow.unknown`, `workflow.retired`,
 * `workflow.unusable`, `workflow.first_step_conditional`, `request.idempotency_key_reused`, and `task.key_in_use` with the
 * open task in `details.taskId`): the caller then rolls
 * the transaction back. A Scheduler finds the tasks at its next scan, within a second or so: nothing wakes it.
 */
export async function submitTasks(
  client: TransactionClient,
  tasks: readonly SubmittedTask[],
  { publishEvents = false, traceparent }: Options = {},
): Promise<readonly SubmittedTaskId[]> {
  if (traceparent !== undefined) await ask(client, setTrace, [traceparent]);
  const checks = new Map<string, InputCheck>();
  const submitted: SubmittedTaskId[] = [];
  for (const task of tasks) {
    const check = checks.get(task.workflow) ?? (await findCheck(client, task.workflow));
    checks.set(task.workflow, check);
    mustBeValid(task, check);
    submitted.push(await submit(client, task, publishEvents));
  }
  // What the transaction submits later has a trace of its own, or none.
  if (traceparent !== undefined) await ask(client, setTrace, [""]);
  return submitted;
}

/** Until the transaction ends. */
const setTrace = "select set_config('holdfast.traceparent', $1, true)";

const select = "select definition from state.workflow_to_submit($1)";

const submission = `select task_id::text as "taskId", replayed
  from state.submit_task(workflow => $1, input => $2::jsonb, idempotency_key => $3, priority => $4,
                         reply_to => $5, correlation_id => $6,
                         keep_key_for => $7::float8 * interval '1 millisecond', publish_events => $8,
                         fairness_key => $9, fairness_weight => $10, business_key => $11,
                         labels => $12::jsonb, not_before => to_timestamp($13::float8 / 1000))`;

const day = 24 * 60 * 60 * 1_000;

async function findCheck(client: TransactionClient, workflow: string): Promise<InputCheck> {
  const [row] = await ask<{ definition: { inputSchema: { [key: string]: Json } } }>(
    client,
    select,
    [workflow],
  );
  try {
    return compileInput(row!.definition.inputSchema);
  } catch (error) {
    // Without its check the store would accept inputs that no Agent can use.
    throw new ContractFault(
      "workflow.unusable",
      `The stored input schema of ${workflow} cannot be compiled: ${errorText(error)}. Register a new version of the workflow, and submit to that`,
      { cause: error },
    );
  }
}

function mustBeValid({ workflow, input }: SubmittedTask, check: InputCheck): void {
  const errors = check(input);
  if (errors.length === 0) return;
  const [{ pointer, detail } = { pointer: "", detail: "" }] = errors;
  throw new ContractFault(
    "task.invalid",
    `The input of ${workflow} failed validation at ${pointer || "/"}: ${detail}`,
    { details: { pointer, errors: errors.length } },
  );
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
