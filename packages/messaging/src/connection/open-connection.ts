import { setTimeout as sleep } from "node:timers/promises";
import { errorText, SetupFault, TransientFault } from "@holdfast/domain";
import {
  type FailedAttempt,
  readBrokerUrl,
  type ServerAccess,
  unlessAborted,
} from "@holdfast/runtime";
import { type Channel, type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { boundHeaders } from "./bound-headers.ts";
import { type Claim, claimVhost } from "./claim-vhost.ts";
import { nodeOptions } from "./node-options.ts";
import { userOf } from "./user-of.ts";

interface ConnectionOptions {
  /**
   * What this process knows of the broker. Its URL may name several nodes:
   * `amqp://user:password@a,b:5673,c/vhost`.
   */
  readonly server: ServerAccess;
  /** Shows in the broker's list of connections. */
  readonly name: string;
  /**
   * The store that the virtual host must belong to, and what logs that this cannot be known; null:
   * any will do.
   */
  readonly owner?: Omit<Claim, "vhost"> | null;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal | undefined;
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
const timeout = 2_000;

/**
 * Connects. Throws `broker.unreachable` when the broker cannot be reached within half a minute, and
 * what the signal aborts with when it does.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { server, signal } = options;
  signal?.throwIfAborted();
  const kept = keepConnection(options);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(unreachable(server)), startWithin);
  try {
    await unlessAborted(unlessAborted(kept.connected(), late.signal), signal);
  } catch (error) {
    // It ends by itself: an attempt cannot be called off.
    void kept.end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    createChannel: async () => (await kept.connected()).createChannel(),
    createConfirmChannel: async () => (await kept.connected()).createConfirmChannel(),
    get isUp() {
      return kept.isUp();
    },
    get isBlocked() {
      return kept.isBlocked();
    },
    async [Symbol.asyncDispose]() {
      // A broker that is gone does not answer to a goodbye.
      await Promise.race([kept.end(), sleep(timeout, undefined, { ref: false })]);
    },
  };
}

const unreachable = (server: ServerAccess): TransientFault =>
  new TransientFault(
    "broker.unreachable",
    `RabbitMQ at ${hostsOf(server.url)} cannot be reached: is it running, and is BROKER_URL right? (${server.trouble()})`,
  );

const hostsOf = (url: string): string =>
  readBrokerUrl(url)
    .nodes.map(({ host, port }) => (port === null ? host : `${host}:${port}`))
    .join(", ");

/** Connects, and connects again whenever the connection is lost, until `end`. */
function keepConnection({ server, name, owner = null }: ConnectionOptions) {
  const stop = new AbortController();
  const isStopping = () => stop.signal.aborted;
  const nodes = nodeConnector(name, userOf(server.url), owner);
  let current: ChannelModel | null = null;
  let isBlocked = false;
  let next = Promise.withResolvers<ChannelModel>();
  next.promise.catch(() => {});

  const block = (model: ChannelModel, reason: string | null): void => {
    isBlocked = reason !== null;
    server.blocked(model, reason);
  };

  /** Keeps one connection until it is lost. */
  const keepOnce = async (): Promise<void> => {
    let url = server.url;
    const model = await server.attempt((now) => nodes.connect((url = now)), {
      signal: stop.signal,
      explain: (error) => explainFailure(error, url),
    });
    const closed = untilClosed(model, (reason) => block(model, reason));
    if (isStopping()) return await model.close();
    current = model;
    next.resolve(model);
    void sayIfClosed(model);
    const reason = await closed;
    current = null;
    block(model, null);
    if (isStopping()) return;
    next = Promise.withResolvers();
    next.promise.catch(() => {});
    nodes.chooseAnother(url);
    server.lost(reason);
  };

  const keep = async (): Promise<void> => {
    // What an attempt throws is known to `server`, which delays the next one.
    while (!isStopping()) await keepOnce().catch(() => {});
    next.reject(new TransientFault("broker.closed", "The broker connection was closed"));
  };
  const kept = keep();

  return {
    connected: () => next.promise,
    isUp: () => current !== null,
    isBlocked: () => isBlocked,
    async end(): Promise<void> {
      stop.abort();
      await current?.close().catch(() => {});
      await kept;
    },
  };
}

/**
 * Connects to a node at random, so that the connections of a node that is lost spread over the
 * others.
 */
function nodeConnector(name: string, user: string, owner: Omit<Claim, "vhost"> | null) {
  let node = Math.random();

  const chooseAnother = (url: string): void => {
    const nodes = readBrokerUrl(url).nodes.length;
    node = (node + (1 + Math.floor(Math.random() * Math.max(1, nodes - 1))) / nodes) % 1;
  };

  return {
    chooseAnother,
    async connect(url: string): Promise<ChannelModel> {
      if (userOf(url) !== user) {
        throw new UserChanged(
          `BROKER_URL names the user ${userOf(url)} now, and not ${user}: restart this process`,
        );
      }
      const nodes = nodeOptions(url, name);
      try {
        const { connect: server, socket } = nodes[Math.floor(node * nodes.length)]!;
        const model = await connect(server, socket);
        boundHeaders(model);
        if (owner !== null) await claim(model, { ...owner, vhost: readBrokerUrl(url).vhost });
        return model;
      } catch (error) {
        chooseAnother(url);
        throw error;
      }
    },
  };
}

const ignore = (): void => {};

async function claim(model: ChannelModel, wanted: Claim): Promise<void> {
  // Without a listener, a connection that breaks meanwhile would end the process.
  let broken: unknown = null;
  const onError = (error: unknown): void => {
    broken = error;
  };
  model.on("error", onError);
  try {
    await claimVhost(model, wanted);
  } catch (error) {
    await model.close().catch(ignore);
    // Of a connection that RabbitMQ closes, the question says only that no answer comes.
    throw error instanceof SetupFault ? error : (broken ?? error);
  }
  model.off("error", onError);
}

/**
 * Resolves to why the connection ended. Says meanwhile why the broker reads nothing from it; null:
 * it does again.
 */
function untilClosed(
  model: ChannelModel,
  onBlocked: (reason: string | null) => void,
): Promise<unknown> {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  let reason: unknown = new Error("Connection closed");
  model.on("error", (error) => {
    reason = error;
  });
  model.on("close", (error) => resolve(error ?? reason));
  model.on("blocked", onBlocked);
  model.on("unblocked", () => onBlocked(null));
  return closed;
}

/**
 * The client listens to a connection only a moment after it is open. One that the broker closes in
 * that moment it takes for open, for ever; no channel can be opened on it.
 */
async function sayIfClosed(opened: ChannelModel): Promise<void> {
  try {
    const channel = await opened.createChannel();
    channel.on("error", () => {});
    await channel.close();
  } catch (error) {
    opened.emit("close", error);
  }
}

/** The user of the URL is another one than at the start. */
class UserChanged extends Error {}

/**
 * What the client says when the broker closes the connection instead of opening the virtual host:
 * not why.
 */
const vhostRefused = "Expected ConnectionOpenOk; got <ConnectionClose";

/** What an error of the client means for a connection with this URL. */
export function explainFailure(error: unknown, url: string): FailedAttempt {
  const message = errorText(error);
  const user = userOf(url);
  if (error instanceof SetupFault) return { kind: "refused", reason: message, ends: error };
  if (error instanceof UserChanged) return { kind: "refused", reason: message, isFinal: true };
  if (/ACCESS[_-]REFUSED/.test(message)) {
    return { kind: "refused", reason: `login refused for user ${user}` };
  }
  if (message.startsWith(vhostRefused)) {
    return {
      kind: "refused",
      reason: `virtual host ${readBrokerUrl(url).vhost} refused for user ${user}`,
    };
  }
  return { kind: "away", reason: message };
}
