import { limits, readableText } from "@holdfast/contracts";
import type { Broker, StalledConsumer } from "@holdfast/messaging";
import type { SchedulerStore } from "@holdfast/state-store";

/** Milliseconds after which a consumer that fails is no passing trouble. */
const tolerated = 10_000;
/** Milliseconds between two looks. */
const interval = 5_000;

const lasting = ({
  stalledConsumers,
}: Pick<Broker, "stalledConsumers">): readonly StalledConsumer[] =>
  stalledConsumers.filter(({ forMs }) => forMs > tolerated);

/** Whether every consumer records what it reads; otherwise, which one does not, and why. */
export function consumersAreWell(broker: Pick<Broker, "stalledConsumers">): true | string {
  const [first] = lasting(broker);
  if (first === undefined) return true;
  const { queue, messages, failures, forMs, error } = first;
  const seconds = Math.round(forMs / 1_000);
  return `${messages} messages of ${queue} failed ${failures} times in ${seconds} s: ${readableText(error, limits.code)}`;
}

interface StalledConsumerDependencies {
  readonly store: Pick<SchedulerStore, "recordStalledConsumers">;
  readonly broker: Pick<Broker, "stalledConsumers">;
  readonly instance: string;
}

/**
 * Writes down which consumers fail, for `holdfast doctor` and `why`, and that they no longer do.
 */
export function watchStalledConsumers({ store, broker, instance }: StalledConsumerDependencies) {
  let wasWritten = false;
  return async (): Promise<number> => {
    const stalledConsumers = lasting(broker).map((one) => ({
      ...one,
      error: readableText(one.error, limits.words),
    }));
    if (stalledConsumers.length > 0 || wasWritten)
      await store.recordStalledConsumers({ instance, stalledConsumers });
    wasWritten = stalledConsumers.length > 0;
    return interval;
  };
}
