import type { StepReply } from "@holdfast/contracts";
import type { AttemptRef, TaskEvent } from "@holdfast/domain";
import type { Incident } from "@holdfast/state-store";

/** What a reply says, as the domain hears it. */
export function toIncident(reply: StepReply, agent: string): Incident {
  const { taskId, step, attempt, token, outcome } = reply;
  const event = toEvent(outcome, { step, attempt, token, agent });
  if (outcome.kind === "completed") return { taskId, event, output: outcome.output };
  return outcome.kind === "failed"
    ? { taskId, event, faultDetail: outcome.message }
    : { taskId, event };
}

function toEvent(outcome: StepReply["outcome"], ref: AttemptRef): TaskEvent {
  switch (outcome.kind) {
    case "completed":
      return { kind: "completed", ...ref };
    case "stopped":
      return { kind: "stopped", effect: outcome.effect, ...ref };
    case "failed": {
      const { code, transient, attempted = true, effect = "unknown", redelivered } = outcome;
      const retryAfter = outcome.retryAfterMs ?? null;
      const failed = {
        kind: "failed",
        code,
        transient,
        attempted,
        effect,
        retryAfter,
        ...ref,
      } as const;
      return redelivered === undefined ? failed : { ...failed, redelivered };
    }
  }
}
