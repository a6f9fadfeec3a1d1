import { createRequire } from "node:module";
import { StepReply, StepRequest } from "@holdfast/contracts";
import { type MessagePoint, type Moment, now, tapped } from "./moment.ts";

/**
 * Listens, loaded before a service (`--import`), at the AMQP client inside, and prints on the
 * standard output when requests and replies were published, confirmed and received.
 */

interface Properties {
  readonly type?: string;
  readonly messageId?: string;
}

type Listener = (message: { readonly properties: Properties } | null) => void;
type Publish = (
  exchange: string,
  routingKey: string,
  body: Buffer,
  properties: Properties,
  onConfirm: (error: unknown) => void,
) => boolean;
type Consume = (queue: string, listener: Listener, ...rest: readonly unknown[]) => unknown;

interface AmqpClient {
  readonly Channel: { readonly prototype: { consume: Consume } };
  readonly ConfirmChannel: { readonly prototype: { publish: Publish } };
}

/** Milliseconds. Lines are written while nothing is being measured to the tenth of one. */
const tellEvery = 100;

const followed: readonly string[] = [StepRequest.type, StepReply.type];
let moments: Moment[] = [];

function note(point: MessagePoint, { type = "", messageId = "" }: Properties): void {
  if (followed.includes(type)) moments.push({ type, messageId, point, at: now() });
}

setInterval(() => {
  if (moments.length === 0) return;
  process.stdout.write(`${JSON.stringify({ level: 30, msg: tapped, moments })}\n`);
  moments = [];
}, tellEvery).unref();

const { Channel, ConfirmChannel } = amqpClient();
const { consume } = Channel.prototype;
const { publish } = ConfirmChannel.prototype;

Channel.prototype.consume = function tapConsume(queue, listener, ...rest) {
  const tap: Listener = (message) => {
    if (message !== null) note("received", message.properties);
    listener(message);
  };
  return consume.call(this, queue, tap, ...rest);
};

ConfirmChannel.prototype.publish = function tapPublish(
  exchange,
  routingKey,
  body,
  properties,
  onConfirm,
) {
  note("published", properties);
  return publish.call(this, exchange, routingKey, body, properties, (error) => {
    note("confirmed", properties);
    onConfirm(error);
  });
};

/** The client's own classes, as the messaging package loads them; it does not export them. */
function amqpClient(): AmqpClient {
  const messaging = createRequire(import.meta.resolve("@holdfast/messaging"));
  const client = createRequire(messaging.resolve("amqplib"));
  return client("./lib/channel_model.js");
}
