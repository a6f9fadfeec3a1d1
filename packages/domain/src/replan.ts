import { change } from "./change.ts";
import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { longestDelay } from "./failure.ts";
import { settle } from "./settle.ts";
import { stepsOf, type Task } from "./task.ts";

/**
 * Plans again whatever may start by now. Also takes back a delay that no policy allows: an earlier release, or a bug, may have
 * left it.
 */
export function replan(task: Task, context: DecisionContext): Decision {
  const overlong = stepsOf(task)
    .filter(
      (step) =>
        step.processState === "pending" && step.notBefore > context.now + longestDelay(step.plan),
    )
    .map((step) => change(step, "hold", { reason: "step.delay_too_long" }));
  const decision = settle(task, overlong, context);
  const moved = decision.changes.length > 0 || decision.task.processState !== task.processState;
  return moved ? decision : rejected("nothing_to_do");
}
