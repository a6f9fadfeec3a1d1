import type { StepRequest } from "@holdfast/contracts";
import type { Clock } from "@holdfast/runtime";

export interface AttemptDeadline {
  /** The Schedulers may know that the handler was at work at this instant of the clock. */
  readonly extend: (atWorkAt: number) => void;
  cancel(): void;
}

/**
 * Calls `onEnd` at the deadline of an attempt, by the clock of this process: `workMs` after receipt, or after the last
 * heartbeat, and never later than `extendMs` after receipt. What the Schedulers count from comes later than that.
 */
export function attemptDeadline(
  { workMs, extendMs = workMs }: Pick<StepRequest, "workMs" | "extendMs">,
  clock: Clock,
  onEnd: () => void,
): AttemptDeadline {
  const receivedAt = clock.now();
  let endsAt = receivedAt + workMs;
  const ring = (): void => {
    const left = endsAt - clock.now();
    if (left > 0) cancel = clock.after(left, ring);
    else onEnd();
  };
  let cancel = clock.after(workMs, ring);
  return {
    extend(atWorkAt) {
      endsAt = Math.max(endsAt, Math.min(atWorkAt + workMs, receivedAt + extendMs));
    },
    cancel: () => cancel(),
  };
}
