import type { StepReply } from "@holdfast/contracts";
import type { AttemptRef, TaskEvent } from "@holdfast/domain";
import type { Incident } from "@holdfast/state-store";

/**
 * What a reply says, as the domain hears it. `retryAfterMs` is counted from `receivedAt`; a skewed
 * clock here makes a rest longer or shorter, nothing else.
 */
export function toIncident(reply: StepReply, agent: string, receivedAt: number): Incident {
  const { taskId, step, attempt, token, outcome } = reply;
  const ref = { step, attempt, token, agent };
  const event = toEvent(outcome, ref, receivedAt);
  if (outcome.kind === "completed") return { taskId, event, output: outcome.output };
  return outcome.kind === "failed"
    ? { taskId, event, faultDetail: outcome.message }
    : { taskId, event };
}

function toEvent(outcome: StepReply["outcome"], ref: AttemptRef, receivedAt: number): TaskEvent {
  switch (outcome.kind) {
    case "completed":
      return { kind: "completed", ...ref };
    case "stopped":
      return { kind: "stopped", effect: outcome.effect, ...ref };
    case "failed": {
      const { code, transient, attempted = true, effect = "unknown", retryAfterMs } = outcome;
      const notBefore = retryAfterMs === undefined ? null : receivedAt + retryAfterMs;
      return { kind: "failed", code, transient, attempted, effect, notBefore, ...ref };
    }
  }
}
