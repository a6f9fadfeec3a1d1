import type { StepCancel, StepRequest } from "@holdfast/contracts";

/** One attempt that this instance is working on. */
interface RunningAttempt {
  /** Whether the same request arrived a second time meanwhile. */
  isRepeated: boolean;
  /**
   * Stops the attempt; null once it is over. An object that a Map has released can stay reachable
   * from an old table of that Map for a while, and would keep all that this closure refers to
   * (decision 0037).
   */
  stop: (() => void) | null;
}

export interface RunningAttempts {
  readonly count: number;
  /** Adds an attempt. Null when it is running already: the copy is only noted. */
  add(request: StepRequest, stop: () => void): RunningAttempt | null;
  remove(request: StepRequest, attempt: RunningAttempt): void;
  /** Stops this attempt if it runs here. */
  cancel(attempt: StepCancel): void;
}

/** The attempts that one Agent of this process is working on. */
export function runningAttempts(): RunningAttempts {
  const running = new Map<string, RunningAttempt>();
  return {
    get count() {
      return running.size;
    },
    add(request, stop) {
      const known = running.get(idOf(request));
      if (known !== undefined) {
        known.isRepeated = true;
        return null;
      }
      const attempt = { isRepeated: false, stop };
      running.set(idOf(request), attempt);
      return attempt;
    },
    remove(request, attempt) {
      attempt.stop = null;
      running.delete(idOf(request));
    },
    cancel(cancelled) {
      running.get(idOf(cancelled))?.stop?.();
    },
  };
}

/**
 * What tells attempts apart. With the token: after a failover that lost a claim, another attempt
 * has the same number.
 */
const idOf = ({ taskId, step, attempt, token }: StepCancel) =>
  `${taskId} ${step} ${attempt} ${token}`;
