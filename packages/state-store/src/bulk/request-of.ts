import {
  type BulkRequest,
  bulkRequestOf,
  type EventOutcome,
  Fault,
  type Instant,
  type JsonPatch,
  operatorRefusalOf,
  type ReportedTaskEvent,
  type Task,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { LoadedValues, ValuesOptions } from "../apply/load-values.ts";
import { type PatchTarget, patchInputs } from "../workflows/patched-input.ts";
import { type ResolveFault, resolveFault } from "../workflows/resolve-fault.ts";
import {
  contractsOf,
  isUsable,
  type StoredWorkflow,
  type UnusableWorkflow,
} from "../workflows/workflow-catalog.ts";
import type { BulkAsked } from "./create-bulk-operation.ts";

/**
 * What is reported about a task of an operation, and the attempt that it is about; or why nothing
 * is.
 */
export type ReportedRequest =
  | (Omit<Extract<BulkRequest, { step: unknown }>, "event"> & {
      readonly reported: ReportedTaskEvent;
    })
  | { readonly refusal: string };

interface Surroundings {
  readonly asked: BulkAsked;
  readonly now: Instant;
  /** Finds the workflows whose inputs a patch changes. */
  readonly workflowOf: (name: string) => Promise<StoredWorkflow | UnusableWorkflow>;
  readonly load: (options: ValuesOptions) => Promise<ReadonlyMap<string, LoadedValues>>;
}

/**
 * Turns what is asked of many tasks into the event of each of them, by the rules of the operators'
 * routes.
 */
export async function reportedRequestsOf(
  tasks: readonly Task[],
  surroundings: Surroundings,
): Promise<ReadonlyMap<string, ReportedRequest>> {
  const requests = await plainRequestsOf(tasks, surroundings);
  const { patch } = surroundings.asked;
  return patch === undefined
    ? requests
    : patchedRequestsOf(tasks, { requests, patch, surroundings });
}

interface Patching {
  readonly requests: ReadonlyMap<string, ReportedRequest>;
  readonly patch: JsonPatch;
  readonly surroundings: Surroundings;
}

/** The requests with the inputs that a patch makes of those that the steps have. */
async function patchedRequestsOf(
  tasks: readonly Task[],
  { requests, patch, surroundings: { workflowOf, load } }: Patching,
): Promise<ReadonlyMap<string, ReportedRequest>> {
  const targets: PatchTarget[] = [];
  const patched = new Map(requests);
  for (const { taskId, workflow, steps } of tasks) {
    const request = requests.get(taskId);
    if (request === undefined || !("reported" in request)) continue;
    const step = steps.get(request.step ?? "")?.plan;
    const stored = await workflowOf(workflow.name);
    if (step !== undefined && isUsable(stored)) targets.push({ taskId, step, workflow: stored });
    else patched.set(taskId, { refusal: "task.not_usable" });
  }
  const inputs = await patchInputs(load, targets, patch);
  for (const [taskId, found] of inputs) {
    const request = requests.get(taskId);
    if (request === undefined || !("reported" in request)) continue;
    const { reported } = request;
    if (!("input" in found)) patched.set(taskId, { refusal: found.code });
    else if (reported.event.kind === "resubmitted") {
      const event = { ...reported.event, inputChanged: true };
      const changed = { ...reported, event, correctedInput: found.input };
      patched.set(taskId, { ...request, reported: changed });
    }
  }
  return patched;
}

/**
 * The requests without a patch. What was said of an output is the same for all tasks, and is held
 * to each contract once.
 */
async function plainRequestsOf(
  tasks: readonly Task[],
  { asked, now }: Pick<Surroundings, "asked" | "now">,
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
