import { type FaultCode, faultCodes } from "./fault-codes.ts";

/**
 * Who says that an attempt failed, or that a task is to be undone. A silence, a message that came
 * back or a broker that is away are not the word of anyone: without a `Source` no failure is
 * counted and no undo is begun.
 *
 * - `remoteService`: an Agent called it, and reports its answer.
 * - `agent`: it had the request, and refused it, could not do it or never answered.
 * - `definition`: the workflow says so, by a schema or a limit.
 * - `person`: an operator, or the application that submitted the task.
 */
export type Source = "remoteService" | "agent" | "definition" | "person";

/** Who says so, in words that follow "said by". */
export const sourceWords: Readonly<Record<Source, string>> = {
  remoteService: "the remote service",
  agent: "an Agent that had the request",
  definition: "the workflow's definition",
  person: "a person",
};

/** "said by the remote service"; empty: no source, or one of a later release. */
export const saidBy = (source: string | null | undefined): string =>
  source != null && Object.hasOwn(sourceWords, source)
    ? `said by ${sourceWords[source as Source]}`
    : "";

/** A fault, and who says so. */
export interface Reason {
  readonly code: string;
  readonly saidBy: Source;
}

/** Codes with which Holdfast ends an attempt or a task, apart from those that an Agent chooses. */
const sources: Readonly<Partial<Record<FaultCode, Source>>> = {
  "approval.exclusion_unknown": "definition",
  "approval.rejected": "person",
  "operator.cancel": "person",
  "step.contract_broken": "agent",
  "step.delivery_limit": "agent",
  "step.expired": "agent",
  "step.input_invalid": "definition",
  "step.input_too_costly": "definition",
  "step.input_too_large": "definition",
  "step.input_unresolvable": "definition",
  "step.input_unusable": "definition",
  "step.not_in_workflow": "definition",
  "step.output_invalid": "agent",
  "step.output_too_costly": "agent",
  "step.output_unstorable": "agent",
  "step.reply_invalid": "agent",
  "step.request_rejected": "agent",
  "step.request_unreadable": "agent",
  "step.request_too_large": "definition",
  "step.waited_too_long": "definition",
  "task.expired": "definition",
  "wait.expired": "definition",
  "wait.time_invalid": "definition",
};

/**
 * Who says what this code says. Each code has one source, so that the history needs no more than
 * the code. What is not a code of Holdfast is an Agent's word for what its remote service answered.
 */
export const sourceOf = (code: string): Source =>
  sources[code as FaultCode] ?? (code.startsWith("agent.") ? "agent" : "remoteService");

/**
 * Whether a code is a remote service's own word: not what Agents, Schedulers or Supervisors made of
 * it.
 */
export const isRemoteFault = (code: string): boolean =>
  !Object.hasOwn(faultCodes, code) && sourceOf(code) === "remoteService";

/**
 * Codes with which Holdfast itself has a task halt: no failure is counted, and nothing is undone
 * for them.
 */
const haltsOfOurs: ReadonlySet<string> = new Set<FaultCode>([
  "scheduler.undecidable",
  "store.refused",
]);

/** An entry of the history, as far as it tells why something moved. */
interface Move {
  readonly action: string;
  readonly fromState: string | null;
  readonly toState: string;
  readonly reason: string | null;
}

/** Actions of the history by which an attempt failed. */
export const failures: ReadonlySet<string> = new Set(["retry", "coolDown", "fail"]);
const undoStates: ReadonlySet<string> = new Set(["undoing", "undone"]);

/**
 * Who said what counted a failure or began an undo with this entry. Null: it did neither. What is
 * requeued, and what halts because Holdfast cannot go on, is not the word of anyone.
 */
export function sourceOfMove({ action, fromState, toState, reason }: Move): Source | null {
  if (reason === null || haltsOfOurs.has(reason)) return null;
  const beginsUndo =
    action === "undo" ||
    (action === "summarise" && undoStates.has(toState) && fromState !== "undoing");
  return failures.has(action) || action === "lapse" || beginsUndo ? sourceOf(reason) : null;
}
