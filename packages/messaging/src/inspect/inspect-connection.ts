import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TransientFault } from "@holdfast/domain";
import { type Channel, type ChannelModel, type Connection, connect } from "amqplib";
import { boundHeaders } from "../connection/bound-headers.ts";
import { type NodeOptions, nodeOptions } from "../connection/node-options.ts";
import { explainFailure } from "../connection/open-connection.ts";

/** Milliseconds. */
const hangUpWithin = 2_000;

/** A connection that is closed when it is disposed of. */
export type Connected = AsyncDisposable & { readonly model: ChannelModel };

/** Connects to the first node that answers. Throws `broker.unreachable`. */
export async function connectTo(url: string, name: string): Promise<Connected> {
  const [first, ...others] = nodeOptions(url, name);
  return await others.reduce(
    (connecting, node) => connecting.catch(() => connectToNode(node, url)),
    connectToNode(first!, url),
  );
}

async function connectToNode({ connect: node, socket, place }: NodeOptions, url: string) {
  try {
    const model = await connect(node, socket);
    model.on("error", () => {});
    boundHeaders(model);
    return { model, [Symbol.asyncDispose]: () => hangUp(model) };
  } catch (cause) {
    throw new TransientFault(
      "broker.unreachable",
      `RabbitMQ at ${place} cannot be reached: is it running, and is BROKER_URL right? (${reasonOf(cause, url)})`,
      { cause },
    );
  }
}

/** The reason in words that name the user or the virtual host: the client's own say neither. */
const reasonOf = (cause: unknown, url: string): string => explainFailure(cause, url).reason;

/**
 * The driver leaves the socket of a connection open that the broker has blocked, and the broker
 * does not say goodbye while it waits for a queue.
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
