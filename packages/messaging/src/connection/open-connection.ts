import { setTimeout as sleep } from "node:timers/promises";
import { TransientFault } from "@holdfast/domain";
import {
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  connect,
  type RecoveringChannelModel,
} from "amqplib";
import { boundHeaders } from "./bound-headers.ts";
import { type ConnectionLog, type ConnectionState, trackConnection } from "./connection-state.ts";
import { nodesOf } from "./server-nodes.ts";

interface ConnectionOptions {
  /** May name several nodes of a cluster: `amqp://user:password@a,b:5673,c/vhost`. */
  readonly url: string;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  readonly log: ConnectionLog;
}

/** A connection that comes back by itself. Its channels do not: see `keepChannel`. */
export interface Connection extends AsyncDisposable {
  /** Waits for the connection, if there is none at the moment. */
  createChannel(): Promise<Channel>;
  createConfirmChannel(): Promise<ConfirmChannel>;
  readonly isUp: boolean;
  /** The broker is short of memory or disk, and reads nothing more from us. */
  readonly isBlocked: boolean;
}

/** How long a service that starts waits for the broker, in milliseconds. */
const startWithin = 30_000;
const patience = 2_000;
/** Milliseconds between two attempts to connect. */
const initialDelay = 100;
/** This machine refuses an attempt at once and at no cost, as while `holdfast dev` starts the broker. */
const longestDelay = ({ areLocal }: { readonly areLocal: boolean }): number =>
  areLocal ? initialDelay : 500;

/** Connects. Throws `broker.unreachable` when the broker cannot be reached within half a minute. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { url, name, log } = options;
  const nodes = nodesOf(url);
  const model = await connect(nodes.current, {
    // Without it each small message waits for the delayed ACK of the one before: 44 ms a hop.
    noDelay: true,
    keepAlive: true,
    timeout: 5_000,
    clientProperties: { connection_name: name },
    recovery: { waitForConnect: false, initialDelay, maxDelay: longestDelay(nodes), jitter: 0.5 },
  });
  const state = trackConnection(model, { name, log });
  model.on("connect-failed", nodes.next).on("disconnect", nodes.next);
  model.on("connect", (opened) => {
    boundHeaders(opened);
    void sayIfClosed(opened);
  });

  const close = () => closeBetweenAttempts(model, state);
  if (!(await isConnectedInTime(model, close))) {
    throw new TransientFault(
      "broker.unreachable",
      `RabbitMQ at ${nodes.hosts} cannot be reached: is it running, and is BROKER_URL right?`,
      { cause: state.lastError },
    );
  }

  return {
    createChannel: () => model.createChannel(),
    createConfirmChannel: () => model.createConfirmChannel(),
    get isUp() {
      return state.isUp;
    },
    get isBlocked() {
      return state.isBlocked;
    },
    async [Symbol.asyncDispose]() {
      // A broker that is gone does not answer to a goodbye.
      await Promise.race([close(), sleep(patience, undefined, { ref: false })]);
    },
  };
}

/**
 * The client listens to a connection only a moment after it is open. One that the broker closes in that moment it takes
 * for open, for ever; no channel can be opened on it.
 */
async function sayIfClosed(opened: ChannelModel): Promise<void> {
  try {
    const channel = await opened.createChannel();
    channel.on("error", () => {});
    await channel.close();
  } catch (error) {
    // A client that has noticed listens to this connection no more; any other one connects again.
    opened.emit("close", error);
  }
}

/** Waits for the first connection. Gives up by closing, which ends the client's attempts as well. */
async function isConnectedInTime(
  model: RecoveringChannelModel,
  close: () => Promise<void>,
): Promise<boolean> {
  const late = setTimeout(() => void close(), startWithin);
  try {
    await model.waitForConnect();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(late);
  }
}

/**
 * Closes once the attempt to connect that may be under way has ended. The client closes a connection that it opened
 * after `close()`, and has no listener for that connection's errors: one would end the process.
 */
async function closeBetweenAttempts(
  model: RecoveringChannelModel,
  state: Pick<ConnectionState, "isUp">,
): Promise<void> {
  if (!state.isUp) {
    await new Promise<unknown>((resolve) => {
      model.once("connect", resolve).once("connect-failed", resolve);
    });
  }
  await model.close();
}
