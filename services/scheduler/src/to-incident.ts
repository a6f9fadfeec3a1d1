import { limits, type StepReply } from "@holdfast/contracts";
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

/** Areas that only Holdfast itself speaks of, and what of others only a Scheduler or Supervisor says. */
const ownAreas: ReadonlySet<string> = new Set(["operator", "scheduler", "store", "task", "undo"]);
const ownCodes: ReadonlySet<string> = new Set([
  "step.condition_false",
  "step.delay_too_long",
  "step.delivery_limit",
  "step.expired",
  "step.never_started",
  "step.request_rejected",
  "step.stopped",
]);

/** An Agent that says what only Holdfast says is quoted: its word must not pass for ours. */
function codeOfAgent(code: string): string {
  const [area = ""] = code.split(".");
  const isOurs = ownAreas.has(area) || ownCodes.has(code);
  return isOurs ? `agent.said.${code}`.slice(0, limits.code) : code;
}

function toEvent(outcome: StepReply["outcome"], ref: AttemptRef): TaskEvent {
  switch (outcome.kind) {
    case "completed":
      return { kind: "completed", ...ref };
    case "stopped":
      return { kind: "stopped", effect: outcome.effect, ...ref };
    case "failed": {
      const { transient, attempted = true, effect = "unknown", redelivered } = outcome;
      const code = codeOfAgent(outcome.code);
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
