import { ContractFault } from "@holdfast/domain";
import type { ClaimedStep, ReportedTaskEvent } from "@holdfast/state-store";
import type { BuiltRequest } from "./build-requests.ts";

const attemptOf = ({ name: step, attempt, token }: ClaimedStep) => ({ step, attempt, token });

/** The request reached no queue. */
export const neverStarted = (claim: ClaimedStep): ReportedTaskEvent => ({
  taskId: claim.taskId,
  event: { kind: "neverStarted", unsent: true, ...attemptOf(claim) },
});

/** The templates of a workflow may make much of little: no Agent would read it. */
export const tooLarge = (claim: ClaimedStep, bytes: number, most: number): ReportedTaskEvent =>
  unbuildable({
    claim,
    fault: new ContractFault(
      "step.request_too_large",
      `The request is ${bytes} bytes long, of at most ${most} (MAX_MESSAGE_BYTES)`,
    ),
  });

/**
 * Nothing was sent, and nothing would be next time: for good, and without effect. For want of a value nothing is
 * counted or undone: the task halts.
 */
export const unbuildable = ({
  claim,
  fault: { code, message },
}: Extract<BuiltRequest, { fault: unknown }>): ReportedTaskEvent => ({
  taskId: claim.taskId,
  faultDetail: message,
  event:
    code === "step.input_unresolvable"
      ? { kind: "parked", code, unsent: true, ...attemptOf(claim) }
      : {
          kind: "failed",
          code,
          transient: false,
          attempted: true,
          effect: "none",
          retryAfter: null,
          ...attemptOf(claim),
        },
});
