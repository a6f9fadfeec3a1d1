import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Conditions, type Direction, healthy } from "./conditions.ts";
import { findPattern, type PatternFinder } from "./find-pattern.ts";
import { pump } from "./pump.ts";

/** When a connection is cut: `before` the server gets the pattern, or `after` it. */
export interface Cut {
  readonly pattern: Buffer;
  readonly when: "before" | "after";
  /** How the server's answer ends: not cut before that, and the client gets nothing of it. */
  readonly answer?: Buffer;
}

/** A way of one process to one server, through us, so that it can be slowed down and broken by itself. */
export interface Link extends AsyncDisposable {
  readonly url: string;
  /** How many connections go through it. */
  readonly connections: number;
  /** How often a cut that was set has happened. */
  readonly cuts: number;
  slow(latency: Pick<Conditions, "latencyMs" | "jitterMs">): void;
  /** Lets nothing arrive in these directions; both sides go on believing in the connection. */
  hold(directions: readonly Direction[]): void;
  /** Lets nothing more through the connections that are open; new ones are fine. */
  silence(): void;
  /** Resets every connection; new ones are fine. */
  reset(): void;
  /** Resets every connection and refuses new ones. */
  takeDown(): void;
  /** Cuts the next connection in which the client sends the pattern. Once. */
  cutAt(cut: Cut): void;
  /** Has new connections lead to another server, as a name does whose address changes. */
  leadTo(serverUrl: string): void;
  /** Says something to all clients, as if the server did. */
  inject(bytes: Buffer): void;
  /** As if nothing had been. What was held back arrives. */
  heal(): void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** How the answer ends that the client is not to get. */
  lostAnswer: Buffer | null;
}

const defaultPorts: Readonly<Record<string, number>> = { "postgres:": 5432, "amqp:": 5672 };

/** Opens a link to the server at this URL, on a free port of the loopback interface. */
export async function openLink(
  serverUrl: string,
  random: () => number = Math.random,
): Promise<Link> {
  const url = new URL(serverUrl);
  let target = addressOf(url);
  let conditions = healthy;
  let healed = Promise.withResolvers<void>();
  let pending: Cut | null = null;
  let cuts = 0;
  const pairs = new Set<Pair>();
  const silent = new Set<Pair>();

  const latency = () => conditions.latencyMs + random() * conditions.jitterMs;
  const isHeld = (pair: Pair, direction: Direction) =>
    !pair.client.destroyed && (silent.has(pair) || conditions.held.includes(direction));
  const open = async (pair: Pair, direction: Direction) => {
    while (isHeld(pair, direction)) await healed.promise;
  };
  const become = (changes: Partial<Conditions>) => {
    conditions = { ...conditions, ...changes };
    healed.resolve();
    healed = Promise.withResolvers();
  };
  const resetAll = () => {
    for (const pair of pairs) resetPair(pair);
    become({});
  };

  /** For one connection: whether the pattern that is waited for ends in this piece. */
  const watch = (): ((chunk: Buffer) => boolean) => {
    let watched: { readonly cut: Cut; readonly finder: PatternFinder } | null = null;
    return (chunk) => {
      if (pending === null) return false;
      if (watched?.cut !== pending)
        watched = { cut: pending, finder: findPattern(pending.pattern) };
      return watched.finder.feed(chunk);
    };
  };

  const toServer = (pair: Pair) => {
    const { client, server } = pair;
    const matches = watch();
    return (chunk: Buffer): boolean => {
      if (!matches(chunk) || pending === null) {
        server.write(chunk);
        return true;
      }
      const { when, answer } = pending;
      pending = null;
      cuts += 1;
      if (when === "before") {
        resetPair(pair);
      } else if (answer !== undefined) {
        pair.lostAnswer = answer;
        server.write(chunk);
        return true;
      } else {
        // Ended and not reset: what the server has not read yet, a reset would take from it.
        server.end(chunk);
        reset(client);
      }
      return false;
    };
  };

  const carry = async (client: Socket): Promise<void> => {
    const server = connect({ ...target, noDelay: true, allowHalfOpen: true });
    const pair: Pair = { client, server, lostAnswer: null };
    pairs.add(pair);
    client.on("error", () => reset(server));
    server.on("error", () => reset(client));
    const up = pump(client, server, {
      latency,
      open: () => open(pair, "toServer"),
      deliver: toServer(pair),
    }).then(() => void server.end());
    const down = pump(server, client, {
      latency,
      open: () => open(pair, "toClient"),
      deliver: (chunk) => {
        if (pair.lostAnswer === null) client.write(chunk);
        else if (endsWith(chunk, pair.lostAnswer)) resetPair(pair);
        return !client.destroyed;
      },
    }).then(() => void client.end());
    client.once("close", () => server.destroySoon());
    server.once("close", () => void down.then(() => client.destroySoon()));
    await Promise.all([up, down]);
    pairs.delete(pair);
    silent.delete(pair);
  };

  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (conditions.isDown) reset(client);
    else void carry(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");

  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return pairs.size;
    },
    get cuts() {
      return cuts;
    },
    slow: become,
    hold: (held) => become({ held }),
    silence() {
      for (const pair of pairs) silent.add(pair);
    },
    reset: resetAll,
    takeDown() {
      become({ isDown: true });
      resetAll();
    },
    cutAt(cut) {
      pending = cut;
    },
    leadTo(otherUrl) {
      target = addressOf(new URL(otherUrl));
    },
    inject(bytes) {
      for (const { client } of pairs) client.write(bytes);
    },
    heal() {
      pending = null;
      silent.clear();
      become(healthy);
    },
    async [Symbol.asyncDispose]() {
      become(healthy);
      resetAll();
      listener.close();
      await once(listener, "close");
    },
  };
}

const addressOf = (url: URL) => ({
  host: url.hostname,
  port: Number(url.port || defaultPorts[url.protocol]),
});

const endsWith = (chunk: Buffer, end: Buffer): boolean => chunk.subarray(-end.length).equals(end);

function resetPair({ client, server }: Pair): void {
  reset(client);
  reset(server);
}

/** A reset while the goodbye is under way is refused, and would leave the socket behind for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
