import {
  type BulkRequest,
  bulkRequestOf,
  type EventOutcome,
  Fault,
  type Instant,
  operatorRefusalOf,
  type ReportedTaskEvent,
  type Task,
} from "@holdfast/domain";
import { resolveFault } from "../workflows/resolve-fault.ts";
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

/** Turns what is asked of many tasks into the event of one of them, by the rules of the operators' routes. */
export function reportedRequestOf(task: Task, { asked, now }: Surroundings): ReportedRequest {
  const request = bulkRequestOf(task, asked, now);
  if ("refusal" in request) return request;
  const { event, ...about } = request;
  const { taskId, workflow } = task;
  if (event.kind !== "resolved") return { ...about, reported: { taskId, event } };
  const step = task.steps.get(event.step);
  const fault =
    step === undefined ? null : resolveFault(contractsOf(workflow), step.plan, asked.output);
  if (fault !== null) return { refusal: fault.code };
  return { ...about, reported: { taskId, event, output: asked.output ?? null } };
}

/** The code under which an item is refused. */
export function itemRefusalOf(outcome: Exclude<EventOutcome, { applied: true }>): string {
  const { reason, cause } = outcome;
  if (reason === "undecidable") return cause instanceof Fault ? cause.code : "task.refused";
  return reason === "unknown_step" ? "task.unknown_step" : operatorRefusalOf(reason);
}
