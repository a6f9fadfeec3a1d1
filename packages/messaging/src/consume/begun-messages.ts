import { attempt, type InboundMessage, type OpenDelivery } from "./inbound-message.ts";

/** A message whose handling has begun and that is not acknowledged. */
interface BegunMessage {
  readonly message: InboundMessage;
  readonly since: number;
  /** How many deliveries in it are not handled. */
  left: number;
  /** One of them could not be handled: later messages are acknowledged without waiting for this one. */
  hasFailed: boolean;
}

/** A delivery with the message that it came in. */
export interface Item {
  readonly delivery: OpenDelivery;
  readonly begun: BegunMessage;
}

/** The messages of one channel whose handling has begun, in the order of their deliveries. */
export function begunMessages() {
  let open: BegunMessage[] = [];
  return {
    begin(message: InboundMessage, since: number): readonly Item[] {
      const begun = { message, since, left: message.deliveries.length, hasFailed: false };
      open.push(begun);
      return message.deliveries.map((delivery) => ({ delivery, begun }));
    },
    /** Acknowledges the messages that are now handled as a whole, those before them included. */
    finish(items: readonly Item[]): void {
      for (const { begun } of items) begun.left -= 1;
      const firstOpen = open.findIndex(({ left }) => left > 0);
      const done = firstOpen === -1 ? open : open.slice(0, firstOpen);
      open = firstOpen === -1 ? [] : open.slice(firstOpen);
      acknowledge(done.map(({ message }) => message));
      if (open[0]?.hasFailed) open = open.filter(isOpen);
    },
    get oldestMs(): number {
      const [oldest] = open;
      return oldest === undefined ? 0 : performance.now() - oldest.since;
    },
  };
}

/** A message behind one that failed is acknowledged by itself. */
function isOpen({ left, message }: BegunMessage): boolean {
  if (left === 0) message.settle();
  return left > 0;
}

/** Sends one acknowledgement for messages that follow one another on a channel: all before them are settled. */
function acknowledge(messages: readonly InboundMessage[]): void {
  for (const message of messages) if (!message.isGood) message.settle();
  const rest = messages.filter(({ isSettled }) => !isSettled);
  const last = rest.at(-1);
  for (const message of rest) message.settled();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
