import type { Binding, BindResult, Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";

interface Dependencies {
  readonly broker: Pick<Broker, "bind">;
  readonly clock: Pick<Clock, "now">;
}

/** Milliseconds for which the refusal to bind a queue stands: it costs a channel, and an error in the broker's log. */
const refusalLasts = 1_000;

/**
 * Binds submitters' queues: each by one request at a time, whose answer all share that ask meanwhile. A queue that is
 * missing is not asked for again for a second.
 */
export function queueBindings({ broker, clock }: Dependencies): Pick<Broker, "bind"> {
  const asked = new Map<string, { readonly result: Promise<BindResult>; until: number }>();
  const forgetPast = (): void => {
    for (const [queue, { until }] of asked) if (until <= clock.now()) asked.delete(queue);
  };
  return {
    async bind(binding: Binding): Promise<BindResult> {
      const { queue } = binding;
      const known = asked.get(queue);
      if (known !== undefined && clock.now() < known.until) return known.result;
      forgetPast();
      const one = { result: broker.bind(binding), until: Number.POSITIVE_INFINITY };
      asked.set(queue, one);
      try {
        const result = await one.result;
        one.until = clock.now() + (result === "refused" ? refusalLasts : 0);
        return result;
      } catch (error) {
        one.until = clock.now();
        throw error;
      }
    },
  };
}
