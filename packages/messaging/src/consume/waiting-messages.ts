import type { InboundMessage } from "./inbound-message.ts";

/** Parsed, messages take up to fifteen times the memory of their bytes: three batches hold no more than that each. */
const maxBytes = 1024 * 1024;

/** Messages whose handling has not begun, in the order of arrival. */
export function waitingMessages() {
  let waiting: InboundMessage[] = [];
  let deliveries = 0;
  let bytes = 0;

  return {
    add(message: InboundMessage): void {
      waiting.push(message);
      deliveries += message.deliveries.length;
      bytes += message.bytes;
    },
    get isEmpty(): boolean {
      return waiting.length === 0;
    },
    /** Whether it would make a batch of `max` deliveries full. */
    isFull: (max: number): boolean => deliveries >= max || bytes >= maxBytes,
    /** Takes as many as make a batch full, and at least one: what came together stays together. */
    take(max: number): readonly InboundMessage[] {
      let [takenDeliveries, takenBytes] = [0, 0];
      const last = waiting.findIndex((message) => {
        takenDeliveries += message.deliveries.length;
        takenBytes += message.bytes;
        return takenDeliveries >= max || takenBytes >= maxBytes;
      });
      const taken = last === -1 ? waiting : waiting.slice(0, last + 1);
      waiting = last === -1 ? [] : waiting.slice(last + 1);
      deliveries -= takenDeliveries;
      bytes -= takenBytes;
      return taken;
    },
    clear(): void {
      waiting = [];
      deliveries = 0;
      bytes = 0;
    },
  };
}
