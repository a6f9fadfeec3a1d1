import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { TransientFault } from "@holdfast/domain";
import { serverUrls } from "@holdfast/runtime";
import { type Channel, type ConfirmChannel, connect, type Options } from "amqplib";
import { writeTogether } from "./write-together.ts";

interface ConnectionLog {
  warn(fields: object, message: string): void;
}

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
/** Seconds. Three missed ones end a connection that has gone silent. */
const heartbeat = 5;
const patience = 2_000;

/** Connects. Throws `broker.unreachable` when the broker cannot be reached within half a minute. */
export async function openConnection({ url, name, log }: ConnectionOptions): Promise<Connection> {
  const nodes = nodesOf(url);
  const model = await connect(nodes.current, {
    // Without it each small message waits for the delayed ACK of the one before: 44 ms a hop.
    noDelay: true,
    keepAlive: true,
    timeout: 5_000,
    clientProperties: { connection_name: name },
    recovery: { waitForConnect: false, initialDelay: 100, maxDelay: 500, jitter: 0.5 },
  });
  const state = { isUp: false, isBlocked: false };
  let lastError: unknown;
  model.on("error", (err) => log.warn({ err, connection: name }, "connection failed"));
  model.on("connect-failed", (err) => {
    lastError = err;
    nodes.next();
  });
  model.on("connect", ({ connection }) => {
    // The types do not have it: the socket.
    writeTogether((connection as unknown as { readonly stream: Writable }).stream);
    Object.assign(state, { isUp: true, isBlocked: false });
  });
  model.on("disconnect", (err) => {
    Object.assign(state, { isUp: false, isBlocked: false });
    log.warn({ err, connection: name }, "connection lost");
    nodes.next();
  });
  model.on("blocked", (reason) => {
    state.isBlocked = true;
    log.warn({ reason, connection: name }, "connection blocked");
  });
  model.on("unblocked", () => {
    state.isBlocked = false;
  });

  const late = setTimeout(() => void model.close(), startWithin);
  try {
    await model.waitForConnect();
  } catch {
    throw new TransientFault(
      "broker.unreachable",
      `RabbitMQ at ${nodes.hosts} cannot be reached: is it running, and is BROKER_URL right?`,
      { cause: lastError },
    );
  } finally {
    clearTimeout(late);
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
      await Promise.race([model.close(), sleep(patience, undefined, { ref: false })]);
    },
  };
}

/** The nodes of a URL. Connections choose one at random, so that those of a lost node spread over the others. */
function nodesOf(url: string) {
  const nodes = serverUrls(url).map((node) => new URL(node));
  const options = nodes.map(optionsOf);
  let index = Math.floor(Math.random() * nodes.length);
  return {
    hosts: nodes.map(({ host }) => host).join(", "),
    /** Moves on to one of the others. */
    next(): void {
      const others = Math.max(1, nodes.length - 1);
      index = (index + 1 + Math.floor(Math.random() * others)) % nodes.length;
    },
    /** The driver reads it anew for each attempt to connect, and finds what is current then. */
    current: new Proxy<Options.Connect>({}, { get: (_, key) => Reflect.get(options[index]!, key) }),
  };
}

function optionsOf({ protocol, hostname, port, username, password, pathname, searchParams }: URL) {
  const number = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: Number(value) };
  };
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostname.replace(/^\[|\]$/g, ""),
    ...(port === "" ? {} : { port: Number(port) }),
    ...(username === "" && password === ""
      ? {}
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    vhost: pathname.slice(1),
    heartbeat,
    ...number("heartbeat"),
    ...number("channelMax"),
    ...number("frameMax"),
  } satisfies Options.Connect;
}
