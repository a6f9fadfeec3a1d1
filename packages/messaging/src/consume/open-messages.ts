import { attempt, type InboundMessage, type OpenDelivery } from "./inbound-message.ts";

/** A message that is not acknowledged. */
interface OpenMessage {
  readonly message: InboundMessage;
  /** When its handling began; null: it waits. */
  since: number | null;
  /** How many deliveries in it are not handled. */
  left: number;
  /** One of them could not be handled: later messages are acknowledged without waiting for this one. */
  hasFailed: boolean;
}

/** A delivery with the message that it came in. */
export interface Item {
  readonly delivery: OpenDelivery;
  readonly of: OpenMessage;
}

/**
 * The messages of one channel that are not acknowledged, in the order of their arrival. An acknowledgement of one
 * includes all before it, so it waits for those that an urgent one has overtaken.
 */
export function openMessages() {
  const open = new Map<InboundMessage, OpenMessage>();
  const closeHandled = (): readonly InboundMessage[] => {
    const handled: InboundMessage[] = [];
    for (const [message, { left }] of open) {
      if (left > 0) break;
      open.delete(message);
      handled.push(message);
    }
    return handled;
  };
  return {
    arrived(message: InboundMessage): void {
      open.set(message, {
        message,
        since: null,
        left: message.deliveries.length,
        hasFailed: false,
      });
    },
    begin(messages: readonly InboundMessage[], since: number): readonly Item[] {
      const begun = messages.flatMap((message) => open.get(message) ?? []);
      for (const of of begun) of.since = since;
      return begun.flatMap((of) => of.message.deliveries.map((delivery) => ({ delivery, of })));
    },
    /** Acknowledges the messages that are now handled as a whole, with all before them. */
    finish(items: readonly Item[]): void {
      for (const { of } of items) of.left -= 1;
      acknowledge(closeHandled());
      const [first] = open.values();
      if (first?.hasFailed) for (const one of open.values()) closeAlone(open, one);
    },
    get oldestMs(): number {
      const [oldest] = [...open.values()].flatMap(({ since }) => since ?? []).toSorted(ascending);
      return oldest === undefined ? 0 : performance.now() - oldest;
    },
  };
}

const ascending = (a: number, b: number): number => a - b;

/** A message behind one that failed is acknowledged by itself. */
function closeAlone(open: Map<InboundMessage, OpenMessage>, { left, message }: OpenMessage): void {
  if (left > 0) return;
  message.acknowledge();
  open.delete(message);
}

/** Sends one acknowledgement for messages that follow one another on a channel: all before them are acknowledged. */
function acknowledge(messages: readonly InboundMessage[]): void {
  for (const message of messages) if (!message.isGood) message.acknowledge();
  const rest = messages.filter(({ isAcknowledged }) => !isAcknowledged);
  const last = rest.at(-1);
  for (const message of rest) message.acknowledged();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
