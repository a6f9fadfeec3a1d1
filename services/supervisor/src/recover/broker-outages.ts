import { replyQueues, unrecordedQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";
import { outageLog } from "./outage-log.ts";

interface Options {
  readonly broker: Pick<Broker, "inspect" | "isReady">;
  readonly clock: Pick<Clock, "now">;
}

/** Replies that wait longer than this, with Schedulers there to take them, are not what is missing. */
const patience = 10_000;
/** A Scheduler that cannot record its replies says so within a second, and its report stands for two. */
const reportedWithin = 3_000;

/**
 * Knows when a missing reply says nothing about an Agent: while the broker is unreachable, no Scheduler consumes
 * replies, replies wait in their queues, or a Scheduler cannot record those that it holds. Meanwhile nothing is
 * recovered, and an attempt that overlaps such an outage does not count as a failure of its step.
 */
export function brokerOutages({ broker, clock }: Options) {
  const outages = outageLog(clock);
  let waitingSince: number | null = null;

  return {
    /** To be called at every scan: what falls between two of them is short enough to be waited out. */
    look(): void {
      if (broker.isReady) outages.ended();
      else outages.began();
    },
    /** Whether an attempt without a reply may be taken for expired now. */
    async canTrustSilence(): Promise<boolean> {
      const queues = [...replyQueues, unrecordedQueue];
      const found = broker.isReady ? await Promise.all(queues.map(broker.inspect)) : [];
      const [common] = found;
      if ((common?.consumers ?? 0) === 0) {
        outages.began();
        return false;
      }
      outages.ended();
      // Replies may be in the memory of a Scheduler that cannot record them.
      if ((found.at(-1)?.messages ?? 0) > 0) outages.lasted(reportedWithin);
      const isWaiting = found.some((queue) => (queue?.messages ?? 0) > 0);
      waitingSince = isWaiting ? (waitingSince ?? clock.now()) : null;
      return waitingSince === null || clock.now() - waitingSince > patience;
    },
    /** Whether an outage fell into an attempt that should have ended `overdue` ms ago, after `lasted` ms. */
    overlapsOutage({
      overdue,
      lasted,
    }: {
      readonly overdue: number;
      readonly lasted: number;
    }): boolean {
      const end = clock.now() - overdue;
      return outages.overlaps(end - lasted, end);
    },
  };
}

export type BrokerOutages = ReturnType<typeof brokerOutages>;
