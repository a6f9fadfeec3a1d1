import type { Direction } from "./conditions.ts";
import { type Pair, resetPair } from "./pair.ts";
import { pump } from "./pump.ts";

interface Options {
  /** Milliseconds that a piece which arrives now is to take. */
  readonly latency: () => number;
  /** Resolves when this direction is open. */
  readonly open: (direction: Direction) => Promise<void>;
  /** Passes a piece on to the server; false: the connection is to end with that. */
  readonly deliver: (chunk: Buffer) => boolean;
}

/** Carries bytes both ways until the connection has ended. */
export async function carryPair(pair: Pair, { latency, open, deliver }: Options): Promise<void> {
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
