import { limits, type StepRequest } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";

interface LongAttemptOptions {
  readonly concurrency: number;
  /** How many requests are prefetched while none of them is kept. */
  readonly prefetch: number;
}

type Limit = (prefetch: number) => Promise<void>;

/** One attempt; `end` is to be called when it is over. */
interface KeptAttempt {
  readonly announced: () => void;
  end(): void;
}

export interface LongAttempts extends Disposable {
  begin(request: StepRequest, delivery: Pick<Delivery, "ack">): KeptAttempt;
  /** Sets the prefetch, less the slots of requests that the broker no longer counts. */
  readonly limit: Limit;
  limitBy(set: Limit): void;
}

/**
 * Acknowledges the requests of long attempts early: as soon as the broker has a message that says
 * that the attempt runs, which has a slot. From then on its heartbeats keep it, and should this
 * process die, its silence is noticed. Requests that are acknowledged count in no prefetch, so the
 * prefetch shrinks by their number; with no slot left it is 0.
 */
export function longAttempts({ concurrency, prefetch }: LongAttemptOptions): LongAttempts {
  let kept = 0;
  let wanted = prefetch;
  let set: Limit | null = null;

  const apply = async (): Promise<void> => {
    const rest = kept >= concurrency ? 0 : Math.max(1, wanted - kept);
    await set?.(wanted === 0 ? 0 : rest);
  };
  const keep = (more: number): void => {
    kept += more;
    // Without a channel nothing is limited: the next one begins with what was asked for last.
    apply().catch(() => {});
  };

  return {
    begin(request, delivery) {
      if (Math.max(request.workMs, request.extendMs ?? 0) < limits.longAttempt) return short;
      let isKept = false;
      let isOver = false;
      return {
        announced() {
          if (isOver) return;
          isKept = true;
          delivery.ack();
          keep(1);
        },
        end() {
          isOver = true;
          if (isKept) keep(-1);
        },
      };
    },
    limit(most) {
      wanted = most;
      return apply();
    },
    limitBy(next) {
      set = next;
    },
    [Symbol.dispose]() {
      set = null;
    },
  };
}

const ignore = (): void => {};
const short: KeptAttempt = { announced: ignore, end: ignore };
