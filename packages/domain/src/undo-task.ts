import type { Decision, DecisionContext } from "./decision.ts";
import { settle } from "./settle.ts";
import type { Reason } from "./source.ts";
import type { Change } from "./step-transitions.ts";
import { type Task, withSteps } from "./task.ts";
import { beginUndo } from "./undo.ts";

/**
 * Turns the task to its undo once these changes are applied, for a reason that names who said it.
 */
export function undoTask(
  task: Task,
  changes: readonly Change[],
  { code }: Reason,
  context: DecisionContext,
): Decision {
  const begun = beginUndo(
    withSteps(
      task,
      changes.map(({ step }) => step),
    ),
    code,
  );
  return settle(begun.task, [...changes, ...begun.changes], context);
}
