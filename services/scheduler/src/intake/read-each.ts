import { errorText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import { type Clock, turnsOf } from "@holdfast/runtime";

export interface Unreadable {
  readonly delivery: Delivery;
  readonly error: unknown;
}

/**
 * Reads deliveries, and keeps those that cannot be read from spoiling the others. A batch may hold a hundred of the
 * largest messages: others have their turn of the event loop in between.
 */
export async function readEach<Message>(
  batch: readonly Delivery[],
  read: (delivery: Delivery) => Message,
  { clock }: { readonly clock: Pick<Clock, "now"> },
): Promise<{ readonly readable: readonly Message[]; readonly unreadable: readonly Unreadable[] }> {
  const turns = turnsOf(clock);
  const readable: Message[] = [];
  const unreadable: Unreadable[] = [];
  for (const delivery of batch) {
    if (turns.isOver()) await turns.next();
    try {
      readable.push(read(delivery));
    } catch (error) {
      unreadable.push({ delivery, error });
    }
  }
  return { readable, unreadable };
}

/** Fields of one line in the log, however many messages are unreadable: how many, and what is wrong with the first. */
export function unreadableFields(unreadable: readonly Unreadable[]) {
  const [first] = unreadable;
  const { error, delivery } = first ?? {};
  return {
    messages: unreadable.length,
    messageId: delivery?.messageId,
    reason: errorText(error),
  };
}
