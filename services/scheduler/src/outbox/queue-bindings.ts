import type { BindResult, Broker } from "@holdfast/messaging";

/**
 * Binds submitters' queues for notifications that were taken together, each queue once: a refusal costs a channel, and
 * an error in the broker's log. All of them were there before the answer, so a queue that is missing then is missing
 * for all of them. Those that are taken later ask anew: their submitter may have declared its queue meanwhile.
 */
export function queueBindings(broker: Pick<Broker, "bind">): Pick<Broker, "bind"> {
  const asked = new Map<string, Promise<BindResult>>();
  return {
    bind(binding) {
      const result = asked.get(binding.queue) ?? broker.bind(binding);
      asked.set(binding.queue, result);
      return result;
    },
  };
}
