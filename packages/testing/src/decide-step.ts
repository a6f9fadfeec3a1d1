import { compileForm, type FieldFault } from "@holdfast/contracts";
import {
  type FaultCode,
  isExcluded,
  type Json,
  type Vote,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { MemoryStore } from "./simulator/store/memory-store.ts";
import { valuesIn } from "./task-view.ts";

/** What one of an audience says about a step. */
export interface StepDecision {
  readonly step: string;
  /** The id of who decides. */
  readonly by: string;
  readonly decision: Vote;
  readonly reason: string | null;
  readonly form: Json | null;
}

/** The task that people decide about. */
export interface DecidedTask {
  readonly store: MemoryStore;
  readonly taskId: string;
  /** The id of who submitted it. */
  readonly submittedBy: string;
  readonly definition: WorkflowDefinition;
}

/** The names of the steps that people decide. */
export const approvalsIn = ({ steps }: Pick<WorkflowDefinition, "steps">): readonly string[] =>
  steps.flatMap((step) => ("audience" in step ? [step.name] : []));

/** What is wrong with what is filled in. Who rejects fills in nothing. */
export const faultsOfForm = (
  definition: Pick<WorkflowDefinition, "forms">,
  { step, decision, form }: Pick<StepDecision, "step" | "decision" | "form">,
): readonly FieldFault[] =>
  decision === "reject" ? compileForm({}, step)(form) : compileForm(definition, step)(form);

/**
 * Decides a step, as a service does that knows each principal as one of the audience. Returns the
 * code with which it is refused; null: it counts. A Scheduler ends the step.
 */
export function decideStep(
  { store, taskId, submittedBy, definition }: DecidedTask,
  { step: name, by, ...said }: StepDecision,
): FaultCode | null {
  const step = definition.steps.find((one) => one.name === name);
  if (step === undefined || !("audience" in step)) return "approval.unknown";
  const valueOf = valuesIn(store.tasks.get(taskId)!);
  if (isExcluded(step, { id: by, submittedBy, valueOf })) return "approval.excluded";
  const { quorum } = step;
  const decision = { taskId, step: name, actor: by, actorName: by, quorum, ...said };
  const outcome = store.recordDecision(decision);
  return outcome.kind === "refused" ? outcome.code : null;
}
