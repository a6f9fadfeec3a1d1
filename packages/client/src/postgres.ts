import {
  type SubmittedTask,
  type SubmittedTaskId,
  submitTasks as submitAny,
  type TransactionClient,
} from "@holdfast/state-store";
import type { AnyWorkflow, InputFor, ResultFor, TaskRef } from "./types.ts";

export {
  type SentInTransaction,
  type SubmittedTask,
  type SubmittedTaskId,
  signalTask,
  type TransactionClient,
} from "@holdfast/state-store";

/**
 * A task of a workflow: by its name, or as `defineWorkflow` returns it; then the input has the type
 * that it takes.
 */
export interface TaskOf<W extends AnyWorkflow> extends Omit<SubmittedTask, "workflow" | "input"> {
  readonly workflow: W;
  readonly input: InputFor<W>;
}

/** A task that was submitted, which `result`, `follow` and others of the client take. */
export interface SubmittedRef<Output = unknown> extends SubmittedTaskId, TaskRef<Output> {}

type Options = Parameters<typeof submitAny>[2];

/**
 * Submits tasks in a transaction of one's own: they are submitted when it commits, and never were
 * when it does not. The login of the connection needs the role `holdfast_application` and no other.
 * Throws a `ContractFault` for what is not to be submitted: roll the transaction back then. For
 * Node only, with @holdfast/state-store installed.
 */
export async function submitTasks<const W extends readonly AnyWorkflow[]>(
  client: TransactionClient,
  tasks: { readonly [Index in keyof W]: TaskOf<W[Index]> },
  options: Options = {},
): Promise<{ readonly [Index in keyof W]: SubmittedRef<ResultFor<W[Index]>> }> {
  const named = (tasks as readonly TaskOf<AnyWorkflow>[]).map(
    ({ workflow, ...task }) =>
      ({
        ...task,
        workflow: typeof workflow === "string" ? workflow : workflow.name,
      }) as SubmittedTask,
  );
  const submitted = await submitAny(client, named, options);
  return submitted.map((one) => ({ ...one, id: one.taskId })) as never;
}
