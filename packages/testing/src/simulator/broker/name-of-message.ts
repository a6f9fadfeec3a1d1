import { wakeExchange } from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";

/** What a story calls a message. Hints have a random id, and a story is the same each time. */
export const nameOfMessage = ({ exchange, messageId }: OutgoingMessage): string =>
  exchange === wakeExchange ? "a hint" : messageId;
