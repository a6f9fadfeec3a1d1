import type { Change } from "./change.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import { settle } from "./settle.ts";
import { type Task, withSteps } from "./task.ts";
import { beginUndo } from "./undo.ts";

/** Turns the task to its undo once these changes are applied. `code` is what it is undone for. */
export function undoTask(
  task: Task,
  changes: readonly Change[],
  code: string,
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
