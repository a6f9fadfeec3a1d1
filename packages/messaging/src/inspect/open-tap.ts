import { disposableStack } from "@holdfast/runtime";
import type { ConsumeMessage } from "amqplib";
import { connectTo } from "./inspect-connection.ts";

/** A message as it went through an exchange, with the properties that its publisher gave it. */
export interface Frame {
  readonly exchange: string;
  readonly routingKey: string;
  readonly type: string | undefined;
  /** The broker vouches for it. */
  readonly userId: string | undefined;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly replyTo: string | undefined;
  readonly contentType: string | undefined;
  /** What its publisher wrote beside them. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export interface TapOptions {
  readonly url: string;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  readonly bindings: readonly { readonly exchange: string; readonly routingKey: string }[];
  readonly onFrame: (frame: Frame) => void;
}

/**
 * Hands over a copy of each message that these exchanges route by these keys, from now on, through
 * a queue of our own that goes with the connection. Takes nothing away from other consumers. Throws
 * `broker.unreachable`.
 */
export async function openTap({
  url,
  name,
  bindings,
  onFrame,
}: TapOptions): Promise<AsyncDisposable> {
  await using stack = disposableStack();
  const { model } = stack.use(await connectTo(url, name));
  const channel = await model.createChannel();
  channel.on("error", () => {});
  const { queue } = await channel.assertQueue("", { exclusive: true, autoDelete: true });
  for (const { exchange, routingKey } of bindings) {
    await channel.bindQueue(queue, exchange, routingKey);
  }
  const onMessage = (message: ConsumeMessage | null): void => {
    if (message !== null) onFrame(toFrame(message));
  };
  await channel.consume(queue, onMessage, { noAck: true });
  return stack.move();
}

const toFrame = ({ fields, properties, content }: ConsumeMessage): Frame => ({
  exchange: fields.exchange,
  routingKey: fields.routingKey,
  type: text(properties.type),
  userId: text(properties.userId),
  messageId: text(properties.messageId),
  correlationId: text(properties.correlationId),
  replyTo: text(properties.replyTo),
  contentType: text(properties.contentType),
  headers: { ...properties.headers },
  body: content,
});

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
