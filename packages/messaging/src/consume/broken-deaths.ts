import type { Channel, ConsumeMessage } from "amqplib";

/**
 * Whether the header `x-death` is neither a list of tables nor a text. RabbitMQ writes it, and any client may. A
 * quorum queue of RabbitMQ before 4.0 ends when it is to dead-letter a message with a list of anything else: the message is
 * lost, consumers lose their connections (541 INTERNAL_ERROR), and after a few of them the queue stays down. What is no
 * list it writes into its log: that of nested tables takes minutes and gigabytes.
 */
export function hasBrokenDeaths({ properties }: ConsumeMessage): boolean {
  const headers: object | undefined = properties.headers;
  if (headers === undefined || !Object.hasOwn(headers, "x-death")) return false;
  const deaths: unknown = Reflect.get(headers, "x-death");
  if (typeof deaths === "string") return false;
  return !Array.isArray(deaths) || !deaths.every(isTable);
}

/** The client reads a table as a plain object; what has a `!` is a timestamp or a decimal. */
const isTable = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !Buffer.isBuffer(value) &&
  !Object.hasOwn(value, "!");

/** Sends a message to the dead letters; one that would end its queue on the way there is dropped. */
export function deadLetter(channel: Channel, message: ConsumeMessage): void {
  if (hasBrokenDeaths(message)) channel.ack(message);
  else channel.reject(message, false);
}
