import type { FaultCode } from "./fault-codes.ts";

/**
 * Who says that an attempt failed, or that a task is to be undone. A silence, a message that came back or a broker
 * that is away are not the word of anyone: without a `Source` no failure is counted and no undo is begun.
 *
 * - `remoteService`: an Agent called it, and reports its answer.
 * - `agent`: it had the request, and refused it, could not do it or never answered.
 * - `definition`: the workflow says so, by a schema or a limit.
 * - `person`: an operator, or the application that submitted the task.
 */
export type Source = "remoteService" | "agent" | "definition" | "person";

/** A fault, and who says so. */
export interface Reason {
  readonly code: string;
  readonly saidBy: Source;
}

/** Codes with which Holdfast ends an attempt or a task, apart from those that an Agent chooses. */
const saidBy: Readonly<Partial<Record<FaultCode, Source>>> = {
  "operator.cancel": "person",
  "operator.undo": "person",
  "step.contract_broken": "agent",
  "step.delivery_limit": "agent",
  "step.expired": "agent",
  "step.input_invalid": "definition",
  "step.input_too_costly": "definition",
  "step.input_too_large": "definition",
  "step.input_unresolvable": "definition",
  "step.input_unusable": "definition",
  "step.not_in_workflow": "definition",
  "step.output_invalid": "definition",
  "step.output_too_costly": "definition",
  "step.output_unstorable": "agent",
  "step.request_rejected": "agent",
  "step.request_unreadable": "agent",
  "step.request_too_large": "definition",
  "task.expired": "definition",
};

/**
 * Who says what this code says. Each code has one source, so that the history needs no more than the code. What is
 * not a code of Holdfast is an Agent's word for what its remote service answered.
 */
export const sourceOf = (code: string): Source =>
  saidBy[code as FaultCode] ?? (code.startsWith("agent.") ? "agent" : "remoteService");
