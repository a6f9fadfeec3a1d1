import {
  type BulkRequest,
  bulkRequestOf,
  type EventOutcome,
  Fault,
  type Instant,
  operatorRefusalOf,
  type ReportedTaskEvent,
  type Task,
  type WorkflowPlan,
} from "@holdfast/domain";
import { type ResolveFault, resolveFault } from "../workflows/resolve-fault.ts";
import { contractsOf } from "../workflows/workflow-catalog.ts";
import type { BulkAsked } from "./create-bulk-operation.ts";

/** What is reported about a task of an operation, and the attempt that it is about; or why nothing is. */
export type ReportedRequest =
  | (Omit<Extract<BulkRequest, { step: unknown }>, "event"> & {
      readonly reported: ReportedTaskEvent;
    })
  | { readonly refusal: string };

interface Surroundings {
  readonly asked: BulkAsked;
  readonly now: Instant;
}

/**
 * Turns what is asked of many tasks into the event of each of them, by the rules of the operators' routes. What was said of
 * an output is the same for all tasks, and is held to each contract once.
 */
export async function reportedRequestsOf(
  tasks: readonly Task[],
  { asked, now }: Surroundings,
): Promise<ReadonlyMap<string, ReportedRequest>> {
  const faults = new Map<WorkflowPlan, Map<string, ResolveFault | null>>();
  const faultOf = async ({ workflow, steps }: Task, name: string): Promise<ResolveFault | null> => {
    const ofWorkflow = faults.get(workflow) ?? new Map<string, ResolveFault | null>();
    faults.set(workflow, ofWorkflow);
    const known = ofWorkflow.get(name);
    if (known !== undefined) return known;
    const step = steps.get(name);
    const fault =
      step === undefined
        ? null
        : await resolveFault(contractsOf(workflow), step.plan, asked.output);
    ofWorkflow.set(name, fault);
    return fault;
  };
  const requests = new Map<string, ReportedRequest>();
  for (const task of tasks) requests.set(task.taskId, await requestOf(task));
  return requests;

  async function requestOf(task: Task): Promise<ReportedRequest> {
    const request = bulkRequestOf(task, asked, now);
    if ("refusal" in request) return request;
    const { event, ...about } = request;
    const { taskId } = task;
    if (event.kind !== "resolved") return { ...about, reported: { taskId, event } };
    const fault = await faultOf(task, event.step);
    if (fault !== null) return { refusal: fault.code };
    return { ...about, reported: { taskId, event, output: asked.output ?? null } };
  }
}

/** The code under which an item is refused. */
export function itemRefusalOf(outcome: Exclude<EventOutcome, { applied: true }>): string {
  const { reason, cause } = outcome;
  if (reason === "undecidable") return cause instanceof Fault ? cause.code : "task.refused";
  return reason === "unknown_step" ? "task.unknown_step" : operatorRefusalOf(reason);
}
