import { replyQueues, unrecordedQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";

interface Options {
  readonly broker: Pick<Broker, "inspect" | "isReady">;
  readonly clock: Pick<Clock, "now">;
}

/** A time in which no reply could arrive; on our monotonic clock, in milliseconds. */
interface Outage {
  readonly from: number;
  to: number;
}

const remembered = 20;
/** Replies that wait longer than this, with Schedulers there to take them, are not what is missing. */
const patience = 10_000;
/** A Scheduler that cannot record its replies says so within a second, and its report stands for two. */
const reportedWithin = 3_000;

/**
 * Knows when silence says nothing about an Agent: while the broker is away, or no Scheduler is there
 * to take replies, or they have not yet got round to them, or one of them cannot record those that it has.
 * Then nothing is recovered, for a while; and an attempt that had to do with an outage is no failure of its
 * step.
 */
export function courierWatch({ broker, clock }: Options) {
  const outages: Outage[] = [];
  let waitingSince: number | null = null;

  const remember = (outage: Outage): void => {
    outages.push(outage);
    if (outages.length > remembered) outages.shift();
  };

  const away = (): void => {
    const now = clock.now();
    const last = outages.at(-1);
    if (last !== undefined && last.to === Number.POSITIVE_INFINITY) return;
    remember({ from: now, to: Number.POSITIVE_INFINITY });
  };

  const back = (): void => {
    const last = outages.at(-1);
    if (last !== undefined) last.to = Math.min(last.to, clock.now());
  };

  /** Replies may be in the memory of a Scheduler that cannot record them. */
  const unrecorded = (): void => {
    const now = clock.now();
    const last = outages.at(-1);
    if (last !== undefined && last.to >= now - reportedWithin) last.to = Math.max(last.to, now);
    else remember({ from: now - reportedWithin, to: now });
  };

  return {
    /** To be called at every scan: what falls between two of them is short enough to be waited out. */
    look(): void {
      if (broker.isReady) back();
      else away();
    },
    /** Whether silence means something now. */
    async isQuiet(): Promise<boolean> {
      const queues = [...replyQueues, unrecordedQueue];
      const found = broker.isReady ? await Promise.all(queues.map(broker.inspect)) : [];
      const [common] = found;
      if ((common?.consumers ?? 0) === 0) {
        away();
        return false;
      }
      back();
      if ((found.at(-1)?.messages ?? 0) > 0) unrecorded();
      const isWaiting = found.some((queue) => (queue?.messages ?? 0) > 0);
      waitingSince = isWaiting ? (waitingSince ?? clock.now()) : null;
      return waitingSince === null || clock.now() - waitingSince > patience;
    },
    /** Whether an outage fell into an attempt that should have ended `overdue` ms ago, after `lasted` ms. */
    excuses({ overdue, lasted }: { readonly overdue: number; readonly lasted: number }): boolean {
      const end = clock.now() - overdue;
      return outages.some(({ from, to }) => from < end && to > end - lasted);
    },
  };
}

export type CourierWatch = ReturnType<typeof courierWatch>;
