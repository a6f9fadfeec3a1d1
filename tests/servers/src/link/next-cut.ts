import { findPattern, type PatternFinder } from "./find-pattern.ts";
import { type Pair, reset, resetPair } from "./pair.ts";

/**
 * When a connection is cut: `before` the server gets the pattern, or `after` it. `half`: from the
 * pattern on nothing of the client arrives, and both sides go on believing in the connection.
 */
export interface Cut {
  readonly pattern: Buffer;
  readonly when: "before" | "after" | "half";
  /** How the server's answer ends: not cut before that, and the client gets nothing of it. */
  readonly answer?: Buffer;
}

export interface NextCut {
  /** How often a cut that was set has happened. */
  readonly count: number;
  readonly set: (cut: Cut | null) => void;
  /**
   * Passes pieces of one connection on to its server, and cuts it at the pattern; false: it is cut.
   */
  deliveryOf(pair: Pair): (chunk: Buffer) => boolean;
}

/**
 * Holds the cut that is pending. It happens once, in the first connection that sends its pattern.
 */
export function nextCut(): NextCut {
  let pending: Cut | null = null;
  let count = 0;

  /** Watches one connection: takes the pending cut if its pattern ends in this piece. */
  const watch = (): ((chunk: Buffer) => Cut | null) => {
    let watched: { readonly cut: Cut; readonly finder: PatternFinder } | null = null;
    return (chunk) => {
      if (pending === null) return null;
      if (watched?.cut !== pending)
        watched = { cut: pending, finder: findPattern(pending.pattern) };
      if (!watched.finder.feed(chunk)) return null;
      pending = null;
      count += 1;
      return watched.cut;
    };
  };

  return {
    get count() {
      return count;
    },
    set(cut) {
      pending = cut;
    },
    deliveryOf(pair) {
      const take = watch();
      let isMute = false;
      return (chunk) => {
        const cut = take(chunk);
        isMute ||= cut?.when === "half";
        if (isMute) return true;
        if (cut !== null) return cutPair(pair, cut, chunk);
        pair.server.write(chunk);
        return true;
      };
    },
  };
}

/** Cuts the connection whose pattern ends in this piece; true: its answer is lost later. */
function cutPair(pair: Pair, { when, answer }: Cut, chunk: Buffer): boolean {
  const { client, server } = pair;
  if (when === "before") {
    resetPair(pair);
    return false;
  }
  if (answer !== undefined) {
    pair.lostAnswer = answer;
    server.write(chunk);
    return true;
  }
  // Ended and not reset: what the server has not read yet, a reset would take from it.
  server.end(chunk);
  reset(client);
  return false;
}
