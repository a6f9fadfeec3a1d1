import { limits, payloadFaultsAt, payloadWords, type StepReply } from "@holdfast/contracts";
import {
  type AttemptRef,
  ContractFault,
  type Fault,
  isOursAlone,
  type TaskEvent,
} from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";

/** Why the output of a reply cannot be kept; null: it can, or there is none. */
export function faultOfOutput({ outcome }: StepReply): ContractFault | null {
  const faults = outcome.kind === "completed" ? payloadFaultsAt(outcome.output) : [];
  if (faults.length === 0) return null;
  return new ContractFault("step.output_unstorable", `The output ${payloadWords(faults)}`);
}

/**
 * What a reply says, as the domain hears it. With an output that is refused, its step fails for good:
 * the work may be done, and the Agent would answer the same again.
 */
export function toReportedEvent(
  reply: StepReply,
  agent: string,
  outputFault: Fault | null,
): ReportedTaskEvent {
  const { taskId, step, attempt, token, outcome } = reply;
  const ref = { step, attempt, token, agent };
  if (outputFault !== null) {
    const { code, message: faultDetail } = outputFault;
    const failure = {
      transient: false,
      attempted: true,
      effect: "unknown",
      retryAfter: null,
    } as const;
    return { taskId, faultDetail, event: { kind: "failed", code, ...failure, ...ref } };
  }
  const event = toEvent(outcome, ref);
  if (outcome.kind === "completed") return { taskId, event, output: outcome.output };
  return outcome.kind === "failed"
    ? { taskId, event, faultDetail: outcome.message }
    : { taskId, event };
}

/** An Agent that says what only Holdfast says is quoted: its word must not pass for ours. */
function codeOfAgent(code: string): string {
  return isOursAlone(code) ? `agent.said.${code}`.slice(0, limits.code) : code;
}

function toEvent(outcome: StepReply["outcome"], ref: AttemptRef): TaskEvent {
  switch (outcome.kind) {
    case "completed":
      return { kind: "completed", ...ref };
    case "stopped":
      return { kind: "stopped", effect: outcome.effect, ...ref };
    case "failed": {
      const { transient, attempted = true, effect = "unknown", redelivered, contract } = outcome;
      const code = codeOfAgent(outcome.code);
      const retryAfter = outcome.retryAfterMs ?? null;
      return {
        kind: "failed",
        code,
        transient,
        attempted,
        effect,
        retryAfter,
        ...ref,
        ...(redelivered === undefined ? {} : { redelivered }),
        ...(contract === undefined ? {} : { contract }),
        // An instance whose circuit has opened in the middle of an attempt says when that ends: others may be well.
        ...(attempted && retryAfter !== null && code !== "agent.circuit_open"
          ? { paces: true }
          : {}),
      };
    }
  }
}
