import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type Conditions, type Direction, healthy } from "./conditions.ts";
import { currentConditions } from "./current-conditions.ts";
import { linkConnections } from "./link-connections.ts";
import { type Cut, nextCut } from "./next-cut.ts";
import { type Address, reset } from "./pair.ts";

/**
 * A way of one process to one server, through us, so that it can be slowed down and broken by
 * itself.
 */
export interface Link extends AsyncDisposable {
  readonly url: string;
  /** How many connections go through it. */
  readonly connections: number;
  /** How often a cut that was set has happened. */
  readonly cuts: number;
  slow(latency: Pick<Conditions, "latencyMs" | "jitterMs">): void;
  /** Lets nothing arrive in these directions; both sides go on believing in the connection. */
  hold(directions: readonly Direction[]): void;
  /**
   * Lets nothing more through the connections that are open; new ones are fine, so a pool that
   * opens one goes on. `hold` silences the server itself.
   */
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
  /** Heals the link as if nothing had been. What was held back arrives. */
  heal(): void;
}

const defaultPorts: Readonly<Record<string, number>> = { "postgres:": 5432, "amqp:": 5672 };

/** Opens a link to the server at this URL, on a free port of the loopback interface. */
export async function openLink(
  serverUrl: string,
  random: () => number = Math.random,
): Promise<Link> {
  const url = new URL(serverUrl);
  let target = addressOf(url);
  const conditions = currentConditions(random);
  const cut = nextCut();
  const connections = linkConnections(conditions, cut);

  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (conditions.isDown) reset(client);
    else void connections.carry(client, target);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");

  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return connections.count;
    },
    get cuts() {
      return cut.count;
    },
    slow: conditions.change,
    hold: (held) => conditions.change({ held }),
    silence: connections.silence,
    reset: connections.reset,
    takeDown() {
      conditions.change({ isDown: true });
      connections.reset();
    },
    cutAt: cut.set,
    leadTo(otherUrl) {
      target = addressOf(new URL(otherUrl));
    },
    inject: connections.inject,
    heal() {
      cut.set(null);
      connections.endSilence();
      conditions.change(healthy);
    },
    async [Symbol.asyncDispose]() {
      conditions.change(healthy);
      connections.reset();
      listener.close();
      await once(listener, "close");
    },
  };
}

const addressOf = (url: URL): Address => ({
  host: url.hostname,
  port: Number(url.port || defaultPorts[url.protocol]),
});
