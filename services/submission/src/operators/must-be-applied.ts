import { type OperatorRefusal, operatorRefusalOf } from "@holdfast/domain";
import type { EventOutcome } from "@holdfast/state-store";
import { codeAt, type Noun } from "../noun.ts";
import { Problem } from "../problem.ts";

/** Why a task cannot be moved as asked, in words; `{task}` stands for what it is called. */
const refusals: Readonly<Record<OperatorRefusal, string>> = {
  "task.changed": "The {task} was changed meanwhile: read it again.",
  "task.unusable_task":
    "The definition of its workflow, or its rows, were changed in the state store: restore them; see holdfast verify.",
  "task.task_finished": "The {task} has ended: nothing more can be done to it.",
  "task.wrong_goal":
    "The {task} is being undone already, or the step belongs to the other direction.",
  "task.not_in_error": "The step does not wait for an operator.",
  "task.not_pending":
    "The step does not wait to be tried: it is being worked on, done or not begun.",
  "task.not_delayed": "The step is due already: a Scheduler tries it as soon as it can.",
  "task.task_paused": "The {task} is paused: resume it, and its steps are tried at once.",
  "task.already_paused": "The {task} is paused already.",
  "task.not_paused": "The {task} is not paused.",
  "task.refused": "The {task} cannot be moved this way from where it stands.",
};

interface Expected {
  readonly noun: Noun;
  readonly version: number;
  /** The version was named by If-Match. */
  readonly isPrecondition: boolean;
}

/** Throws a 409, or a 412, that says why the task was not moved, unless it was. */
export function mustBeApplied(
  outcome: EventOutcome | undefined,
  { noun, version, isPrecondition }: Expected,
): void {
  if (outcome?.applied) return;
  const code = operatorRefusalOf(outcome?.reason ?? "unknown_task");
  const detail = refusals[code].replaceAll("{task}", noun.singular);
  const status = isPrecondition && code === "task.changed" ? 412 : 409;
  throw new Problem(status, codeAt(noun, code), `${detail} You named version ${version}.`);
}
