import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Conditions, type Direction, healthy } from "./conditions.ts";
import { findPattern, type PatternFinder } from "./find-pattern.ts";
import { pump } from "./pump.ts";

interface Target {
  readonly host: string;
  readonly port: number;
}

/** When a connection is cut: `before` the server gets the pattern, or `after` it, and before it can answer. */
export interface Cut {
  readonly pattern: Buffer;
  readonly when: "before" | "after";
}

/** A TCP connection of one process to one server, through us, so that it can be broken by itself. */
export interface Link extends AsyncDisposable {
  readonly port: number;
  /** How many connections go through it. */
  readonly connections: number;
  /** How often a cut that was set has happened. */
  readonly cuts: number;
  slow(latency: Pick<Conditions, "latencyMs" | "jitterMs">): void;
  /** Lets nothing arrive in these directions; both sides go on believing in the connection. */
  hold(directions: readonly Direction[]): void;
  /** Resets every connection; new ones are fine. */
  reset(): void;
  /** Resets every connection and refuses new ones. */
  takeDown(): void;
  /** Cuts the next connection in which the client sends the pattern. Once. */
  cutAt(cut: Cut): void;
  /** As if nothing had been. What was held back arrives. */
  heal(): void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Opens a link on a free port of the loopback interface. `random` is in [0, 1). */
export async function openLink(target: Target, random: () => number): Promise<Link> {
  let conditions = healthy;
  let healed = Promise.withResolvers<void>();
  let pending: Cut | null = null;
  let cuts = 0;
  const pairs = new Set<Pair>();

  const latency = () => conditions.latencyMs + random() * conditions.jitterMs;
  const open = async (direction: Direction) => {
    while (conditions.held.includes(direction)) await healed.promise;
  };
  const resetAll = () => {
    for (const pair of pairs) resetPair(pair);
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

  const toServer = ({ client, server }: Pair) => {
    const matches = watch();
    return (chunk: Buffer): boolean => {
      if (!matches(chunk) || pending === null) {
        server.write(chunk);
        return true;
      }
      const { when } = pending;
      pending = null;
      cuts += 1;
      if (when === "before") {
        resetPair({ client, server });
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
    const pair = { client, server };
    pairs.add(pair);
    client.on("error", () => reset(server));
    server.on("error", () => reset(client));
    const up = pump(client, server, {
      latency,
      open: () => open("toServer"),
      deliver: toServer(pair),
    }).then(() => void server.end());
    const down = pump(server, client, {
      latency,
      open: () => open("toClient"),
      deliver: (chunk) => {
        client.write(chunk);
        return true;
      },
    }).then(() => void client.end());
    client.once("close", () => server.destroySoon());
    server.once("close", () => void down.then(() => client.destroySoon()));
    await Promise.all([up, down]);
    pairs.delete(pair);
  };

  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (conditions.isDown) reset(client);
    else void carry(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");

  const become = (changes: Partial<Conditions>) => {
    conditions = { ...conditions, ...changes };
    healed.resolve();
    healed = Promise.withResolvers();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    get cuts() {
      return cuts;
    },
    slow: become,
    hold: (held) => become({ held }),
    reset: resetAll,
    takeDown() {
      become({ isDown: true });
      resetAll();
    },
    cutAt(cut) {
      pending = cut;
    },
    heal() {
      pending = null;
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

function resetPair({ client, server }: Pair): void {
  reset(client);
  reset(server);
}

/** A reset while the goodbye is under way is refused, and would leave the socket behind for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
