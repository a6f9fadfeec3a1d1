import type { Socket } from "node:net";
import type { Direction } from "./conditions.ts";
import type { CurrentConditions } from "./current-conditions.ts";
import type { NextCut } from "./next-cut.ts";
import { type Address, openPair, type Pair, resetPair } from "./pair.ts";
import { pump } from "./pump.ts";

interface LinkConnections {
  readonly count: number;
  /** Carries what a new client and the server send, until one of them is gone. */
  carry(client: Socket, target: Address): Promise<void>;
  /** Lets nothing more through those that are open. */
  readonly silence: () => void;
  /** What was held back arrives after the next change of the conditions. */
  endSilence(): void;
  readonly reset: () => void;
  /** Writes to all clients. */
  readonly inject: (bytes: Buffer) => void;
}

/** The connections that are open through one link. */
export function linkConnections(conditions: CurrentConditions, cut: NextCut): LinkConnections {
  const pairs = new Set<Pair>();
  const silent = new Set<Pair>();

  const isHeld = (pair: Pair, direction: Direction) =>
    !pair.client.destroyed && (silent.has(pair) || conditions.isHeld(direction));
  const open = async (pair: Pair, direction: Direction) => {
    while (isHeld(pair, direction)) await conditions.changed();
  };

  return {
    get count() {
      return pairs.size;
    },
    async carry(client, target) {
      const pair = openPair(client, target);
      pairs.add(pair);
      await carryPair(pair, {
        latency: conditions.latency,
        open: (direction) => open(pair, direction),
        deliver: cut.deliveryOf(pair),
      });
      pairs.delete(pair);
      silent.delete(pair);
    },
    silence() {
      for (const pair of pairs) silent.add(pair);
    },
    endSilence: () => silent.clear(),
    reset() {
      for (const pair of pairs) resetPair(pair);
      // What waits for a held connection finds it gone.
      conditions.change({});
    },
    inject(bytes) {
      for (const { client } of pairs) client.write(bytes);
    },
  };
}

interface CarryOptions {
  /** Milliseconds that a piece which arrives now is to take. */
  readonly latency: () => number;
  /** Resolves when this direction is open. */
  readonly open: (direction: Direction) => Promise<void>;
  /** Passes a piece on to the server; false: the connection is to end with that. */
  readonly deliver: (chunk: Buffer) => boolean;
}

/** Carries bytes both ways until the connection has ended. */
async function carryPair(pair: Pair, { latency, open, deliver }: CarryOptions): Promise<void> {
  const { client, server } = pair;
  const up = pump(client, server, { latency, open: () => open("toServer"), deliver }).then(
    () => void server.end(),
  );
  const down = pump(server, client, {
    latency,
    open: () => open("toClient"),
    deliver: (chunk) => {
      if (pair.lostAnswer === null) client.write(chunk);
      else if (endsWith(chunk, pair.lostAnswer)) resetPair(pair);
      return !client.destroyed;
    },
  }).then(() => void client.end());
  client.once("close", () => server.destroySoon());
  server.once("close", () => void down.then(() => client.destroySoon()));
  await Promise.all([up, down]);
}

const endsWith = (chunk: Buffer, end: Buffer): boolean => chunk.subarray(-end.length).equals(end);
