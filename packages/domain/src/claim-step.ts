import { change } from "./change.ts";
import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { settle } from "./settle.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";

/** A Scheduler claims a due step: a new attempt begins, with its lock, its token and its two limits. */
export function claimStep(
  task: Task,
  { step: name, by, token, agent }: Extract<TaskEvent, { kind: "claimed" }>,
  context: DecisionContext,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "pending") return rejected("not_pending");
  if (context.now < step.notBefore) return rejected("not_due");
  const startBy = context.now + step.plan.startWithin;
  const completeBy = startBy + step.plan.completeWithin;
  const chosen = step.plan.pool === null ? null : (agent ?? step.agent);
  const lock = {
    agent: chosen,
    attempt: step.attempt + 1,
    lockedBy: by,
    token,
    startBy,
    completeBy,
  };
  return settle(
    task,
    [change(step, "claim", { changes: { ...lock, confirmed: false, resent: false } })],
    context,
  );
}
