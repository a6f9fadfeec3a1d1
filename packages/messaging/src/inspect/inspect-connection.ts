import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, TransientFault } from "@holdfast/domain";
import { serverUrls } from "@holdfast/runtime";
import { type Channel, type ChannelModel, type Connection, connect } from "amqplib";
import { boundHeaders } from "../connection/bound-headers.ts";

/** Milliseconds. */
const connectWithin = 5_000;
const hangUpWithin = 2_000;

/** A connection that is closed when it is disposed of. */
export type Connected = AsyncDisposable & { readonly model: ChannelModel };

/** Connects to the first node that answers. */
export function connectTo(url: string, name: string): Promise<Connected> {
  const [first, ...others] = serverUrls(url);
  return others.reduce(
    (connecting, node) => connecting.catch(() => connectToNode(node, name)),
    connectToNode(first, name),
  );
}

async function connectToNode(url: string, name: string): Promise<Connected> {
  try {
    const model = await connect(url, {
      noDelay: true,
      timeout: connectWithin,
      clientProperties: { connection_name: name },
    });
    model.on("error", () => {});
    boundHeaders(model);
    return { model, [Symbol.asyncDispose]: () => hangUp(model) };
  } catch (cause) {
    throw new TransientFault(
      "broker.unreachable",
      `RabbitMQ at ${new URL(url).host} cannot be reached: is it running, and is BROKER_URL right? (${errorText(cause)})`,
      { cause },
    );
  }
}

/**
 * The driver leaves the socket of a connection open that the broker has blocked, and the broker does not
 * say goodbye while it waits for a queue.
 */
async function hangUp(model: ChannelModel): Promise<void> {
  const { stream } = model.connection as Connection & { readonly stream: Socket };
  const closed = model.close().then(
    () => true,
    () => true,
  );
  const isClosed = await Promise.race([closed, sleep(hangUpWithin, false, { ref: false })]);
  // Only an error ends the heartbeats of a connection that is being closed.
  stream.destroy(isClosed ? undefined : new Error("The broker did not close the connection"));
}

/** What the broker answers for a queue or an exchange that it does not have. */
export const notFound = 404;
/** What it answers to a user without the right to ask. */
export const refused = 403;

/** Asks on a channel of its own, which a refusal closes. Null: no refusal. */
export async function codeOf(
  model: ChannelModel,
  ask: (channel: Channel) => Promise<unknown>,
): Promise<number | null> {
  const answer = await answerOf(model, ask);
  return "code" in answer ? answer.code : null;
}

/** The answer on a channel of its own, or the refusal. */
export async function answerOf<Answer>(
  model: ChannelModel,
  ask: (channel: Channel) => Promise<Answer>,
): Promise<{ readonly found: Answer } | { readonly code: number; readonly message: string }> {
  const channel = await model.createChannel();
  channel.on("error", () => {});
  try {
    const found = await ask(channel);
    await channel.close();
    return { found };
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: number };
    if (code === undefined) throw error;
    return { code, message };
  }
}
